import type { StreamEvent } from "@muster/engine";
import { withKeptText } from "../../store/state-text.ts";
import type { UsageEvent } from "../../usage/session-usage.ts";
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
    this.#send(event.type, json);
    return json.length;
  }

  #send(type: string, json: string): void {
    if (this.#isTooLarge(json)) this.#onTooLarge();
    else this.#queue.push(type, json);
  }

  emitAll(events: readonly Event[]): void {
    for (const event of events) this.emit(event);
  }

  emitEncoded(events: readonly EncodedEvent[]): void {
    for (const { type, json } of events) this.#send(type, json);
  }

  /** Returns whether all of them are small enough to be sent. */
  holds(events: readonly EncodedEvent[]): boolean {
    return !events.some(({ json }) => this.#isTooLarge(json));
  }

  /** `sequence`: the last event whose outcome is stored; this event, unless others were sent in between. */
  emitPersisted(messageId: string, sequence = this.#queue.nextSequence): void {
    this.emit({ type: "persisted", messageId, sequence });
  }

  /** `last` and the event that precedes them once they are stored, as `emitPersisted` sends it next. */
  encodedEnd(messageId: string, last: readonly EncodedEvent[]): EncodedEvent[] {
    return [encoded({ type: "persisted", messageId, sequence: this.#queue.nextSequence }), ...last];
  }

  #isTooLarge(json: string): boolean {
    return json.length > this.#maxBytes / maxBytesPerUnit && Buffer.byteLength(json) > this.#maxBytes;
  }
}

export function encoded(event: Event): EncodedEvent {
  return { type: event.type, json: encodeEvent(event) };
}

/**
 * The event as JSON on one line. Most events are text deltas, and for them concatenation takes half the time of a
 * general `JSON.stringify`.
 */
export function encodeEvent(event: StreamEvent | UsageEvent): string {
  if (event.type === "tool-output-available") return withKeptText(event, "output");
  if (event.type !== "text-delta") return JSON.stringify(event);
  const { id, delta, thread, workerId } = event;
  const text = `{"type":"text-delta","id":${JSON.stringify(id)},"delta":${JSON.stringify(delta)}`;
  if (thread === undefined && workerId === undefined) return `${text}}`;
  return `${text}${field("thread", thread)}${field("workerId", workerId)}}`;
}

function field(name: string, value: string | undefined): string {
  return value === undefined ? "" : `,"${name}":${JSON.stringify(value)}`;
}
