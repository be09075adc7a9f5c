import { createAuditOutbox, createAuditor } from "@muster/events/audit";
import type { ServiceOverrides } from "@muster/rpc";
import { createIds, FairQueue, systemClock } from "@muster/service";
import type { Db } from "mongodb";
import type { DefinitionChecker } from "./definition/definition-checker.ts";
import { createPrebuilt } from "./prebuilt/prebuilt.ts";
import { createAgentStore } from "./store/agents.ts";

export interface AgentsOverrides extends ServiceOverrides {
  /** Used and left open instead of an own one, whose threads load the compiler. For tests. */
  checker?: DefinitionChecker | undefined;
}

/** A definition can have 3 MB, which the store's driver reads without a break: few must arrive in one moment. */
const readsAtOnce = 4;

/** Everything that the RPCs need. */
export type AgentsContext = ReturnType<typeof createContext>;

export function createContext(
  { log, clock = systemClock, newId = createIds(), metrics }: AgentsOverrides,
  db: Db,
  checker: DefinitionChecker,
) {
  const agents = createAgentStore(db);
  return {
    agents,
    /** Reads of definitions take turns by project. */
    reads: new FairQueue({ running: readsAtOnce }),
    checker,
    prebuilt: createPrebuilt({ agents: createAgentStore(db, "prebuilt"), clock, log }),
    /** Makes the entries of changes for the audit log, which the documents carry until it has them. */
    auditEntry: createAuditor({ newId, clock }),
    auditOutbox: createAuditOutbox([agents.collection]),
    clock,
    newId,
    log,
    metrics,
  };
}
