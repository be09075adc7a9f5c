import type { Machine } from "../engine/boundary/machine.ts";
import type { Held } from "../store/moves.ts";
import type { CostMeter } from "./cost-meter.ts";
import type { Home } from "./persistence.ts";

/** What an execution is given to run. */
export interface Turn {
  home: Home;
  held: Held;
  machine: Machine;
  /** By this instance's clock. */
  leaseUntilMs: number;
  /** What conversation and pause may take. */
  maxStateBytes: number;
  /** A first step that takes longer is stored once on the way. */
  earlySaveMs: number;
  /** Given where the cost is told, after `finish`. */
  meter?: CostMeter;
}
