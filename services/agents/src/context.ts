import type { ServiceContext, ServiceOverrides } from "@muster/rpc";
import { createIds, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import type { DefinitionChecker } from "./definition/checker.ts";
import { createPrebuilt, type Prebuilt } from "./prebuilt/prebuilt.ts";
import { type AgentStore, createAgentStore } from "./store/agents.ts";

export type AgentsOverrides = ServiceOverrides;

/** Everything that the RPCs need. */
export interface AgentsContext extends ServiceContext {
  agents: AgentStore;
  checker: DefinitionChecker;
  prebuilt: Prebuilt;
}

export function createContext(
  { log, clock = systemClock, newId = createIds(), metrics }: AgentsOverrides,
  db: Db,
  checker: DefinitionChecker,
): AgentsContext {
  const agents = createAgentStore(db);
  const prebuilt = createPrebuilt({ agents: createAgentStore(db, "prebuilt"), clock, log });
  return { agents, checker, prebuilt, clock, newId, log, metrics };
}
