import type { NextMessageBlock } from "@muster/protocol";
import type { StoredMessage } from "../conversation/conversation.ts";
import type { InnerEvent } from "../shown/events.ts";
import type { Turn } from "../turn/turn.ts";

/** Where a step writes, and who reads along. */
export interface StepOutput {
  readonly turn: Turn;
  readonly block: NextMessageBlock;
  /** Where its parts are put. */
  readonly message: StoredMessage;
  /** Whether people may see what the model writes. */
  readonly shown: boolean;
  /** Whether a loop is cut. */
  readonly guarded: boolean;
  /** Puts an event into the stream, if people may see it. */
  show(event: InnerEvent): void;
}
