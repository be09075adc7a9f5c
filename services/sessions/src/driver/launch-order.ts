import type { Machine } from "../engine/boundary/machine.ts";
import type { Held } from "../store/moves.ts";
import type { CostMeter } from "./cost/cost-meter.ts";
import type { ModelCalls } from "./model-calls.ts";
import type { Persistence } from "./persistence.ts";

/** Everything that an execution needs to run one turn. */
export interface LaunchOrder {
  /** The id of the request that the turn serves; part of all its log lines. */
  requestId: string;
  persistence: Persistence;
  held: Held;
  machine: Machine;
  modelCalls: ModelCalls;
  /** By this instance's clock. */
  leaseUntilMs: number;
  /** The size of the state that the turn begins with, and of what the caller adds. */
  bytes: number;
  /** Limit for the conversation and pause. */
  maxStateBytes: number;
  /** A first step that takes longer is stored once while it runs. */
  earlySaveMs: number;
  /** Set if the cost is reported after `finish`. */
  meter?: CostMeter;
}
