import { type EventsDocument, endOf, type NumberedEvent } from "./events-document.ts";

/** Characters of events in one document, unless a single event is longer. */
export const documentLength = 128 * 1024;

/** Characters of events that a reader receives in one message, unless a single event is longer. */
const batchLength = 32 * 1024;

/** How far the writer of a log may be ahead of the stored events. Beyond half of it, they are stored at once. */
export interface AheadLimits {
  events: number;
  /** Characters of JSON. */
  characters: number;
}

/** Called when something waits for the store. `isUrgent`: it should not wait for more. */
export type OnDue = (isUrgent: boolean) => void;

/** A log as this instance begins or continues it. */
export interface EventLogOptions {
  /** Readers find the log by this. */
  id: string;
  /** The number of the first event of this instance. */
  first: number;
  /** `live`: readers on this instance see events that are not stored yet. */
  readers: "live" | "of-stored";
  ahead: AheadLimits;
  onDue: OnDue;
}

/**
 * The events of one log that this instance writes: for readers that follow them, and for the store. Only recent events are in
 * memory; older ones are in the store. `E`: an event, with everything that its document needs of it.
 */
export abstract class EventLog<E extends NumberedEvent, D extends EventsDocument> {
  readonly id: string;
  /** How many attempts to store the same events have failed. */
  failures = 0;
  readonly #isLive: boolean;
  readonly #ahead: AheadLimits;
  readonly #onDue: OnDue;
  readonly #dueCount: number;
  readonly #dueLength: number;
  /** From the event `#first` on. */
  #events: E[] = [];
  #first: number;
  #stored: number;
  #unstoredLength = 0;
  /** Under way to the store, or failed. A command that failed can have arrived, so it is repeated unchanged. */
  #attempt: D | undefined;
  #state: "open" | "ended" | "closed" | "lost" = "open";
  readonly #readers = new Set<() => void>();
  /** They wait for the store. */
  readonly #writers = new Set<() => void>();

  constructor({ id, first, readers, ahead, onDue }: EventLogOptions) {
    this.id = id;
    this.#first = first;
    this.#stored = first - 1;
    this.#isLive = readers === "live";
    this.#ahead = ahead;
    this.#dueCount = ahead.events / 2;
    this.#dueLength = ahead.characters / 2;
    this.#onDue = onDue;
  }

  /** The number of the last event. */
  get last(): number {
    return this.#first + this.#events.length - 1;
  }

  /** The number of the last stored event. */
  get stored(): number {
    return this.#stored;
  }

  /** The last event exists; it may not be stored yet. */
  get isEnded(): boolean {
    return this.#state === "ended" || this.#state === "closed";
  }

  /** Another writer has the log, or this one has left it: its events count only as far as they are stored. */
  get isLost(): boolean {
    return this.#state === "lost";
  }

  /** Something waits for the store. */
  get isDue(): boolean {
    return this.#state === "ended" || (this.#state === "open" && this.last > this.#stored);
  }

  /** The writer must wait for the store. */
  get isFull(): boolean {
    if (this.isLost) return false;
    const { events, characters } = this.#ahead;
    return this.#unstoredLength >= characters || this.last - this.#stored >= events;
  }

  /** A reader on this instance waits for events. */
  get isWatched(): boolean {
    return this.#readers.size > 0;
  }

  /** Runs for every delta. */
  append(event: E): void {
    if (this.#state === "lost") return;
    this.#events.push(event);
    this.#unstoredLength += event.json.length;
    const count = this.#first + this.#events.length - 1 - this.#stored;
    if (count === 1) this.#onDue(false);
    if (this.#unstoredLength >= this.#dueLength || count >= this.#dueCount) this.#onDue(true);
    if (this.#isLive && this.#readers.size > 0) this.#wake();
  }

  /** No more events follow. */
  end(): void {
    if (this.isLost) return;
    this.#state = this.#isUntouched && this.isStoredElsewhere ? "closed" : "ended";
    this.#wake();
    this.#onDue(true);
  }

  /** Nothing more is stored from here. Readers continue where the log is now. */
  lose(): void {
    this.#state = "lost";
    this.#wake();
    this.attempted();
  }

  /** The events after the given one, as many as one message may contain. Undefined: only the store still has them. */
  after(sequence: number): E[] | undefined {
    const start = sequence + 1 - this.#first;
    if (start < 0) return undefined;
    const readable = this.#isLive ? this.#events.length : this.#stored + 1 - this.#first;
    let end = start;
    for (let length = 0; end < readable && length < batchLength; end += 1) {
      length += this.#events[end]?.json.length ?? 0;
    }
    return this.#events.slice(start, end);
  }

  /** Resolves at the next event or at the end, or when the signal is aborted. Events of one tick travel together. */
  async whenMore(signal: AbortSignal): Promise<void> {
    await woken(this.#readers, signal);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves after the next attempt to store events, or when the signal is aborted. */
  whenWritten(signal?: AbortSignal): Promise<void> {
    this.#onDue(true);
    return woken(this.#writers, signal);
  }

  /** Resolves when everything so far is stored, or the log is lost. Rejects with the reason of the signal. */
  async flushed(signal: AbortSignal): Promise<void> {
    while (this.isDue) {
      signal.throwIfAborted();
      await this.whenWritten(signal);
    }
  }

  /** Its documents lack all of its events. */
  get #isUntouched(): boolean {
    return this.#attempt === undefined && this.#stored < this.#first;
  }

  /** Another document has all events, from number 1 on, so that a log without documents needs none when it ends. */
  protected get isStoredElsewhere(): boolean {
    return false;
  }

  /** The next document to store; the same until it is `written`. */
  nextDocument(): D {
    this.#attempt ??= this.compose(this.#stored + 1, this.unstored());
    return this.#attempt;
  }

  /** A document with the first of these events, of about `documentLength`. `first`: the number of the first one. */
  protected abstract compose(first: number, unstored: readonly E[]): D;

  /** The events that are not stored, as far as this instance knows. */
  protected unstored(): E[] {
    return this.#events.slice(this.#stored + 1 - this.#first);
  }

  /** The last event, unless it is on its way to the store. */
  protected get newest(): E | undefined {
    const taken = this.#attempt === undefined ? this.#stored : endOf(this.#attempt);
    return this.last > taken ? this.#events.at(-1) : undefined;
  }

  /** Changes the `newest` event. */
  protected replace(newest: E, json: string): void {
    this.#unstoredLength += json.length - newest.json.length;
    newest.json = json;
  }

  /** The document is stored. The events before its own leave the memory: readers seldom lag that far behind. */
  written(document: D): void {
    const { first, count, isLast } = document;
    this.#attempt = undefined;
    this.failures = 0;
    this.#events.splice(0, first - this.#first);
    this.#first = first;
    this.#stored = first + count - 1;
    this.#unstoredLength = 0;
    for (let index = count; index < this.#events.length; index += 1) {
      this.#unstoredLength += this.#events[index]?.json.length ?? 0;
    }
    if (isLast) this.#state = "closed";
    if (!this.#isLive) this.#wake();
    this.attempted();
  }

  /** An attempt to store events has ended. */
  attempted(): void {
    for (const wake of this.#writers) wake();
  }

  #wake(): void {
    for (const wake of this.#readers) wake();
  }
}

/** Resolves when a function is called that it adds to the set, or when the signal is aborted. */
function woken(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      waiting.delete(wake);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    signal?.addEventListener("abort", wake);
    if (signal?.aborted) wake();
  });
}
