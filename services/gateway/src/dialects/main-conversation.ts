import type { StreamEvent } from "@muster/wire/events";
import type { AddedEvent } from "../streams/frames.ts";

/** They concern the turn, whichever block is running. */
const ofTurn = new Set(["start", "finish", "error", "step-start", "tool-request", "approval-request"]);

/** Distinguishes the events of a turn that a message contains from those of workers, named threads and independent blocks. */
export class MainConversation {
  /** The running block, if nothing of it remains in the session. */
  #aside: string | undefined;

  /** Whether the deltas of the main conversation now belong to it. */
  get isWriting(): boolean {
    return this.#aside === undefined;
  }

  /** Takes all events but deltas. */
  contains(event: StreamEvent): boolean {
    if (isInner(event)) return false;
    // A retracted block starts again.
    if (event.type === "step-discard" && event.blockId !== undefined) this.#aside = undefined;
    if (event.type === "block-start") this.#aside = event.independent ? event.blockId : undefined;
    const isShown = this.isWriting || ofTurn.has(event.type);
    if (event.type === "block-end" && event.blockId === this.#aside) this.#aside = undefined;
    return isShown;
  }
}

/** An end that the gateway adds when a stream is cut: the turn continues, so that the outcome of its calls is not known. */
export function isKnownEnd(event: AddedEvent): boolean {
  return !("interrupted" in event) || event.type === "text-end" || event.type === "reasoning-end";
}

/** It belongs to a worker or to a named thread. */
function isInner(event: StreamEvent): boolean {
  if ("thread" in event) return true;
  return event.type.startsWith("worker-") ? "parentWorkerId" in event : "workerId" in event;
}
