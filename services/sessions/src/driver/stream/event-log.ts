import type { StreamEvent } from "@muster/proto/sessions";
import type { EventsDocument, RunKey } from "../../store/events-document.ts";
import { eventsId } from "../../store/events-document.ts";

/** Events that wait for the store before they are written at once, and their characters. */
const flushAt = { events: 512, characters: 64 * 1024 };
/** Characters of events in one document, unless a single event is longer. */
const documentLength = 128 * 1024;

/**
 * How far a run may be ahead of its stored events; beyond it, the model waits. So a reader can never have seen an event
 * whose number is larger than the last stored one plus this, and a run holds at most some 300 KB of events.
 */
export const maxUnstored = { events: 1_024, characters: 128 * 1024 };

/** Characters of events that a reader receives in one message, unless a single event is longer. */
const batchLength = 32 * 1024;

interface EventLogHooks {
  /** Called when much is waiting to be written, and when the run has ended. */
  onDue(log: EventLog): void;
}

/**
 * The events of one run on this instance: for readers that join it, and for the store. Only recent events are in
 * memory; older ones are in the store.
 */
export class EventLog {
  readonly key: RunKey;
  readonly #hooks: EventLogHooks;
  /** From the event `#first` on. */
  #events: StreamEvent[] = [];
  #first = 1;
  /** The last event that is stored. */
  #stored = 0;
  #unstoredLength = 0;
  #state: "open" | "ended" | "closed" = "open";
  readonly #readers = new Set<() => void>();
  #afterWrite: Array<() => void> = [];

  constructor(key: RunKey, hooks: EventLogHooks) {
    this.key = key;
    this.#hooks = hooks;
  }

  /** The number of the last event. */
  get last(): number {
    return this.#first + this.#events.length - 1;
  }

  /** The last event exists; it may not be stored yet. */
  get isEnded(): boolean {
    return this.#state !== "open";
  }

  /** Something waits for the store. */
  get isDue(): boolean {
    return this.#state === "ended" || (this.#state === "open" && this.last > this.#stored);
  }

  /** The run must wait for the store. */
  get isFull(): boolean {
    return this.#unstoredLength >= maxUnstored.characters || this.last - this.#stored >= maxUnstored.events;
  }

  /** Runs for every delta. */
  append(event: StreamEvent): void {
    this.#events.push(event);
    this.#unstoredLength += event.json.length;
    const count = this.last - this.#stored;
    if (this.#unstoredLength >= flushAt.characters || count >= flushAt.events) this.#hooks.onDue(this);
    for (const wake of this.#readers) wake();
  }

  /** No more events follow. */
  end(): void {
    this.#state = "ended";
    for (const wake of this.#readers) wake();
    this.#hooks.onDue(this);
  }

  /** The events after the given one, as many as one message may contain. Undefined: only the store still has them. */
  after(sequence: number): StreamEvent[] | undefined {
    const start = sequence + 1 - this.#first;
    if (start < 0) return undefined;
    let end = start;
    for (let length = 0; end < this.#events.length && length < batchLength; end += 1) {
      length += this.#events[end]?.json.length ?? 0;
    }
    return this.#events.slice(start, end);
  }

  /** Resolves at the next event or at the end, or when the signal is aborted. Events of one tick travel together. */
  whenMore(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#readers.delete(wake);
        signal.removeEventListener("abort", wake);
        setImmediate(resolve);
      };
      this.#readers.add(wake);
      signal.addEventListener("abort", wake);
      if (signal.aborted) wake();
    });
  }

  /** Resolves after the next attempt to store events. */
  whenWritten(): Promise<void> {
    return new Promise((resolve) => {
      this.#afterWrite.push(resolve);
      this.#hooks.onDue(this);
    });
  }

  /** What is to be stored next. */
  nextDocument(keptUntil: Record<"running" | "ended", Date>): EventsDocument {
    const first = this.#stored + 1;
    let events = "";
    let count = 0;
    for (let index = first - this.#first; index < this.#events.length; index += 1) {
      if (events.length >= documentLength) break;
      const event = this.#events[index];
      if (event !== undefined) events += `${event.type} ${event.json}\n`;
      count += 1;
    }
    const { projectId, sessionId } = this.key;
    const isLast = this.isEnded && this.#stored + count === this.last;
    const until = isLast ? keptUntil.ended : keptUntil.running;
    const _id = eventsId(this.key, first);
    return { _id, projectId, sessionId, first, count, events, isLast, keptUntil: until };
  }

  /** Its events are stored. The ones before them leave the memory: readers seldom lag that far behind. */
  written({ first, count, isLast }: EventsDocument): void {
    this.#events.splice(0, first - this.#first);
    this.#first = first;
    this.#stored = first + count - 1;
    this.#unstoredLength = 0;
    for (let index = count; index < this.#events.length; index += 1) {
      this.#unstoredLength += this.#events[index]?.json.length ?? 0;
    }
    if (isLast) this.#state = "closed";
    this.attempted();
  }

  /** An attempt to store events has ended. */
  attempted(): void {
    const waiting = this.#afterWrite;
    this.#afterWrite = [];
    for (const resolve of waiting) resolve();
  }
}
