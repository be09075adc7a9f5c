import type { ServiceContext, ServiceOverrides } from "@muster/rpc";
import { createIds, FairQueue, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import type { DefinitionChecker } from "./definition/definition-checker.ts";
import { createPrebuilt, type Prebuilt } from "./prebuilt/prebuilt.ts";
import { type AgentStore, createAgentStore } from "./store/agents.ts";

export interface AgentsOverrides extends ServiceOverrides {
  /** Used and left open instead of an own one, whose threads load the compiler. For tests. */
  checker?: DefinitionChecker | undefined;
}

/** Everything that the RPCs need. */
export interface AgentsContext extends ServiceContext {
  agents: AgentStore;
  /** Reads of definitions take turns by project. */
  reads: FairQueue;
  checker: DefinitionChecker;
  prebuilt: Prebuilt;
}

/** A definition can have 3 MB, which the store's driver reads without a break: few must arrive in one moment. */
const readsAtOnce = 4;

export function createContext(
  { log, clock = systemClock, newId = createIds(), metrics }: AgentsOverrides,
  db: Db,
  checker: DefinitionChecker,
): AgentsContext {
  const agents = createAgentStore(db);
  const prebuilt = createPrebuilt({ agents: createAgentStore(db, "prebuilt"), clock, log });
  return {
    agents,
    reads: new FairQueue({ running: readsAtOnce }),
    checker,
    prebuilt,
    clock,
    newId,
    log,
    metrics,
  };
}
