import type { Block } from "@muster/language";
import type { ToolCallPart } from "../conversation/conversation.ts";
import type { Turn } from "../turn/turn.ts";

/** How the turn continues. `problem` is a sentence for the `error` event. */
export type StepOutcome =
  | { type: "called" }
  /** `calls`: those that the turn's caller carries out. The turn may wait for workers too. */
  | { type: "wait"; calls: ToolCallPart[] }
  | { type: "done" }
  | { type: "problem"; problem: string; errorType: "protocol_error" | "execution_error" };

export const done: StepOutcome = { type: "done" };

/** `why` is a sentence without its first capital. */
export function cannotRun({ name }: Block, why: string, retryable = false): StepOutcome {
  const problem = `Block ${JSON.stringify(name)} cannot run: ${why}`;
  return { type: "problem", problem, errorType: retryable ? "execution_error" : "protocol_error" };
}

/** How the engine executes the blocks of a kind. */
export interface Executor<B extends Block> {
  /** The turn has reached the block. */
  begin(turn: Turn, block: B): StepOutcome;
  /** Opens a block that waits again, in the stream that continues after a pause. */
  reopen(turn: Turn, block: B): void;
  /** All that the block waited for has arrived. */
  endWait(turn: Turn, block: B): StepOutcome;
}
