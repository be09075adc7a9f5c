import type { NextMessageBlock } from "@muster/language";
import type { StoredMessage } from "../conversation/conversation.ts";
import type { Show } from "../shown/call-events.ts";
import type { Turn } from "../turn/turn.ts";

/** The destination of a step's output, and its readers. */
export interface StepOutput {
  readonly turn: Turn;
  readonly block: NextMessageBlock;
  /** Receives the step's parts. */
  readonly message: StoredMessage;
  /** Whether users may see the output. */
  readonly shown: boolean;
  /** Whether the loop guard is on. */
  readonly guarded: boolean;
  /** Adds an event to the stream if users may see it. */
  readonly show: Show;
}
