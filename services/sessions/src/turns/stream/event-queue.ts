import type { StreamEvent as EngineEvent } from "@muster/engine";
import type { StreamEvent } from "@muster/proto/sessions";
import { withKeptText } from "../../store/state-text.ts";
import type { UsageEvent } from "../../usage/session-usage.ts";
import type { TurnLog } from "./turn-log.ts";

interface QueueLimits {
  events: number;
  /** Characters of JSON. */
  characters: number;
}

const defaultLimits: QueueLimits = { events: 128, characters: 32 * 1024 };

/** Its `last` event is the one before the first of the queue. */
type Recorder = Pick<TurnLog, "append" | "end" | "last">;

/**
 * Sits between the driver, which writes events, and the call, which takes everything that has piled up. It never
 * grows much beyond its limits: a writer must stop when `isFull` is true and may continue after `whenWritable`.
 */
export class EventQueue {
  readonly #limits: QueueLimits;
  readonly #log: Recorder | undefined;
  #events: StreamEvent[] = [];
  #characters = 0;
  #sequence: number;
  #state: "open" | "ended" | "abandoned" = "open";
  #wakeReader: (() => void) | undefined;
  #writers: Array<() => void> = [];

  /** `log`: records every event, whether or not its reader is still there. */
  constructor(limits: QueueLimits = defaultLimits, log?: Recorder) {
    this.#limits = limits;
    this.#log = log;
    this.#sequence = log?.last ?? 0;
  }

  /** The sequence number of the next event. */
  get nextSequence(): number {
    return this.#sequence + 1;
  }

  get isFull(): boolean {
    return this.#events.length >= this.#limits.events || this.#characters >= this.#limits.characters;
  }

  push(type: string, json: string): void {
    const sequence = ++this.#sequence;
    if (this.#state !== "open" && this.#log === undefined) return;
    const event: StreamEvent = { $typeName: "muster.sessions.v1.StreamEvent", sequence, type, json };
    this.#log?.append(event);
    if (this.#state !== "open") return;
    this.#events.push(event);
    this.#characters += json.length;
    this.#wakeReader?.();
  }

  /** Resolves when there is room, the reader has left or `unblock` is called. */
  async whenWritable(): Promise<void> {
    if (!this.isFull || this.#state !== "open") return;
    await new Promise<void>((resolve) => {
      this.#writers.push(resolve);
    });
  }

  /** Allows waiting writers to continue although the queue is full. */
  unblock(): void {
    for (const wake of this.#writers.splice(0)) wake();
  }

  /** No more events follow; queued events can still be read. */
  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#log?.end();
    this.#wakeReader?.();
  }

  /** The reader has left: drops all queued and later events, and blocks no writer. */
  abandon(): void {
    this.#state = "abandoned";
    this.#takeAll();
    this.#wakeReader?.();
  }

  /**
   * Each batch contains everything that has piled up since the last one, or as much as fits into one message: the
   * limit of characters plus one event. Ends after `end` or `abandon`.
   */
  async *batches(): AsyncGenerator<StreamEvent[], void, undefined> {
    while (true) {
      if (this.#events.length > 0) yield this.#take();
      else if (this.#state !== "open") return;
      else await this.#nextTick();
    }
  }

  #take(): StreamEvent[] {
    if (this.#characters <= this.#limits.characters) return this.#takeAll();
    let characters = 0;
    let count = 0;
    for (const { json } of this.#events) {
      if (characters >= this.#limits.characters) break;
      characters += json.length;
      count += 1;
    }
    this.#characters -= characters;
    const events = this.#events.splice(0, count);
    if (!this.isFull) this.unblock();
    return events;
  }

  #takeAll(): StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#characters = 0;
    this.unblock();
    return events;
  }

  /**
   * Waits for an event, then for the rest of its tick: parts from one packet of the provider travel together. In that tick, all
   * connections are read first, and then all streams are written, before the next turn of the event loop.
   */
  #nextTick(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = () => {
        this.#wakeReader = undefined;
        setImmediate(resolve);
      };
    });
  }
}

/** An execution, as seen by its reader. */
interface Readable {
  readonly events: EventQueue;
  stop(cause: "disconnected"): void;
}

/**
 * The events of an execution, in batches, for one reader. If the reader leaves, the execution is stopped unless it
 * is detached.
 */
export async function* eventsOf(
  execution: Readable,
  signal: AbortSignal,
  { detached = false } = {},
): AsyncGenerator<StreamEvent[], void, undefined> {
  const leave = () => {
    execution.events.abandon();
    if (!detached) execution.stop("disconnected");
  };
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  let isRead = false;
  try {
    yield* execution.events.batches();
    // A stream that was cut must not look like one that ended.
    signal.throwIfAborted();
    isRead = true;
  } finally {
    signal.removeEventListener("abort", leave);
    if (!isRead) leave();
  }
}

type Event = EngineEvent | UsageEvent;

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
export function encodeEvent(event: Event): string {
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
