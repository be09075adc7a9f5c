import type { Clock, Logger, NewId } from "@muster/service";
import type { DefinitionChecker } from "./definition/checker.ts";
import type { AgentStore } from "./store/agents.ts";

/** Everything that the RPCs need. */
export interface AgentsContext {
  agents: AgentStore;
  checker: DefinitionChecker;
  clock: Clock;
  newId: NewId;
  log: Logger;
}
