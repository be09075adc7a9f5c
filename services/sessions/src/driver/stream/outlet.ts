import type { StreamEvent } from "../../engine/shown/events.ts";
import type { UsageEvent } from "../cost/usage-event.ts";
import { encodeEvent } from "./encode-event.ts";
import type { EventQueue } from "./event-queue.ts";

type Event = StreamEvent | UsageEvent;

export interface EncodedEvent {
  type: Event["type"];
  json: string;
}

/** The longest UTF-8 encoding of one UTF-16 unit. */
const maxBytesPerUnit = 3;

/** Sends events. One that is too large to be stored is not relayed either, because no message could contain it. */
export class Outlet {
  readonly #queue: EventQueue;
  readonly #maxBytes: number;
  readonly #onTooLarge: () => void;

  /** `onTooLarge` is called instead of relaying such an event. */
  constructor(queue: EventQueue, maxBytes: number, onTooLarge: () => void) {
    this.#queue = queue;
    this.#maxBytes = maxBytes;
    this.#onTooLarge = onTooLarge;
  }

  /** Returns the event's length in characters. */
  emit(event: Event): number {
    const json = encodeEvent(event);
    if (this.#isTooLarge(json)) this.#onTooLarge();
    else this.#queue.push(event.type, json);
    return json.length;
  }

  emitAll(events: readonly Event[]): void {
    for (const event of events) this.emit(event);
  }

  /** Returns whether all of them are small enough to be sent. */
  holds(events: readonly Event[]): boolean {
    return !events.some((event) => this.#isTooLarge(encodeEvent(event)));
  }

  /** `sequence`: the last event whose outcome is stored; this event, unless others came in between. */
  emitPersisted(messageId: string, sequence = this.#queue.nextSequence): void {
    this.emit({ type: "persisted", messageId, sequence });
  }

  /** As `emitPersisted` and `emitAll` send them next. */
  encodedEnd(messageId: string, events: readonly Event[]): EncodedEvent[] {
    const persisted = { type: "persisted", messageId, sequence: this.#queue.nextSequence } as const;
    return [persisted, ...events].map((event) => ({ type: event.type, json: encodeEvent(event) }));
  }

  #isTooLarge(json: string): boolean {
    return json.length > this.#maxBytes / maxBytesPerUnit && Buffer.byteLength(json) > this.#maxBytes;
  }
}
