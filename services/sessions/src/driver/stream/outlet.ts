import type { StreamEvent } from "../../engine/shown/events.ts";
import type { UsageEvent } from "../cost/usage-event.ts";
import { encodeEvent } from "./encode-event.ts";
import type { EventQueue } from "./event-queue.ts";

type Event = StreamEvent | UsageEvent;

/** UTF-8 of one UTF-16 unit. */
const maxBytesPerUnit = 3;

/** Where events leave. What is too large to be stored is not relayed either: no message would hold it. */
export class Outlet {
  readonly #queue: EventQueue;
  readonly #maxBytes: number;
  readonly #onTooLarge: () => void;

  /** `onTooLarge` is called in place of relaying such an event. */
  constructor(queue: EventQueue, maxBytes: number, onTooLarge: () => void) {
    this.#queue = queue;
    this.#maxBytes = maxBytes;
    this.#onTooLarge = onTooLarge;
  }

  emit(event: Event): void {
    const json = encodeEvent(event);
    if (this.#isTooLarge(json)) this.#onTooLarge();
    else this.#queue.push(event.type, json);
  }

  emitAll(events: readonly Event[]): void {
    for (const event of events) this.emit(event);
  }

  /** Tells beforehand whether all of them can leave. */
  holds(events: readonly Event[]): boolean {
    return !events.some((event) => this.#isTooLarge(encodeEvent(event)));
  }

  /** `sequence` is that of the last event whose outcome is stored: that of this one, unless others came between. */
  emitPersisted(messageId: string, sequence = this.#queue.nextSequence): void {
    this.emit({ type: "persisted", messageId, sequence });
  }

  #isTooLarge(json: string): boolean {
    return json.length > this.#maxBytes / maxBytesPerUnit && Buffer.byteLength(json) > this.#maxBytes;
  }
}
