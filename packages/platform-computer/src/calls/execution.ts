import type { OutputChunk } from "@muster/computers/tools";
import type { Leader } from "../state/journal-line.ts";

/** The surroundings of a call while it is executed. */
export interface Execution {
  /** Shows the user what is done without asking. */
  note(action: string): void;
  /** Shows what is about to be done, and resolves with false if the user is asked and refuses it. */
  approve(action: string, text: string): Promise<boolean>;
  /** Call it before the first effect: the call is never executed again. Throws if it cannot be stored. */
  begin(leader?: Leader): void;
  output(chunk: OutputChunk): void;
  /** Aborts if the call must be killed. */
  signal: AbortSignal;
}
