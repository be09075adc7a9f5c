import type { ServiceContext, ServiceOverrides } from "@muster/rpc";
import { createIds, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import type { DefinitionChecker } from "./definition/checker.ts";
import { type AgentStore, createAgentStore } from "./store/agents.ts";

export type AgentsOverrides = ServiceOverrides;

/** Everything that the RPCs need. */
export interface AgentsContext extends ServiceContext {
  agents: AgentStore;
  checker: DefinitionChecker;
}

export function createContext(
  { log, clock = systemClock, newId = createIds() }: AgentsOverrides,
  db: Db,
  checker: DefinitionChecker,
): AgentsContext {
  return { agents: createAgentStore(db), checker, clock, newId, log };
}
