import type { StoredPart } from "../conversation/conversation.ts";

/** A part and the thread it belongs to. */
export interface RestoredPart {
  thread: string;
  part: StoredPart;
}
