import type { StreamEvent } from "@muster/proto/sessions";
import type { EventsDocument, PendingEvents, RunKey } from "../../store/events-document.ts";
import { eventsId, lineOf } from "../../store/events-document.ts";

/** Events that wait for the store before they are written at once, and their characters. */
const flushAt = { events: 512, characters: 64 * 1024 };
/** Characters of events in one document, unless a single event is longer. */
const documentLength = 128 * 1024;

/**
 * How far a run may be ahead of its stored events; beyond it, the model waits. So a reader can never have seen an event
 * whose number is larger than the last stored one plus this, and a run buffers at most some 300 KB of events.
 */
export const maxUnstored = { events: 1_024, characters: 128 * 1024 };
/** A part of a response, and the end of a turn, can be this many events at once. */
export const slack = 64;

/** Characters of events that a reader receives in one message, unless a single event is longer. */
const batchLength = 32 * 1024;

type Line = Pick<StreamEvent, "type" | "json">;

/** The lines of events from `first` on. The last ones are `predicted`: they may follow, and may not. */
interface Lines {
  first: number;
  count: number;
  text: string;
  predicted: readonly Line[];
}

interface EventLogHooks {
  /** Called when much is waiting to be written, and when the run has ended. */
  onDue(log: EventLog): void;
  /** How long the events of a run can be read that ends now. */
  keptUntil(): Date;
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
  #first: number;
  /** The last event that is stored. */
  #stored: number;
  #unstoredLength = 0;
  /** The lines as written with the turn. If all of them arrived, the collection of events gets the same text. */
  #written: Lines | undefined;
  /** Under way to the store, or failed. A command that failed can have arrived, so it is repeated unchanged. */
  #attempt: EventsDocument | undefined;
  #state: "open" | "ended" | "closed" | "abandoned" = "open";
  readonly #readers = new Set<() => void>();
  #afterWrite: Array<() => void> = [];

  /** `first`: the number of the first event of this instance. */
  constructor(key: RunKey, hooks: EventLogHooks, first = 1) {
    this.key = key;
    this.#hooks = hooks;
    this.#first = first;
    this.#stored = first - 1;
  }

  /** The number of the last event. */
  get last(): number {
    return this.#first + this.#events.length - 1;
  }

  /** The last event exists; it may not be stored yet. */
  get isEnded(): boolean {
    return this.#state === "ended" || this.#state === "closed";
  }

  /** The run no longer belongs to this instance: its events count only as far as they are stored. */
  get isAbandoned(): boolean {
    return this.#state === "abandoned";
  }

  /** Something waits for the store. */
  get isDue(): boolean {
    return this.#state === "ended" || (this.#state === "open" && this.last > this.#stored);
  }

  /** The run must wait for the store. */
  get isFull(): boolean {
    return (
      this.#unstoredLength >= maxUnstored.characters || this.last - this.#stored >= maxUnstored.events - slack
    );
  }

  /** Runs for every delta. */
  append(event: StreamEvent): void {
    if (this.isAbandoned) return;
    this.#events.push(event);
    this.#unstoredLength += event.json.length;
    const count = this.last - this.#stored;
    if (this.#unstoredLength >= flushAt.characters || count >= flushAt.events) this.#hooks.onDue(this);
    for (const wake of this.#readers) wake();
  }

  /** No more events follow. */
  end(): void {
    if (this.isAbandoned) return;
    this.#state = "ended";
    for (const wake of this.#readers) wake();
    this.#hooks.onDue(this);
  }

  /** Another instance has the run now. Its readers continue there. */
  abandon(): void {
    this.#state = "abandoned";
    for (const wake of this.#readers) wake();
    this.attempted();
  }

  /** The events that the store may lack. `last`: the run's last events, which follow. */
  pending(last?: readonly Line[]): PendingEvents | undefined {
    if (this.isAbandoned) return undefined;
    const { executionId, run } = this.key;
    const first = this.#stored + 1;
    const unstored = this.#events.slice(first - this.#first);
    const predicted = last ?? [];
    const count = unstored.length + predicted.length;
    const events = linesOf(unstored) + linesOf(predicted);
    this.#written = { first, count, text: events, predicted };
    const keptUntil = this.#hooks.keptUntil();
    return { executionId, run, first, count, events, isLast: last !== undefined, keptUntil };
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

  /** The next document to store; the same until it is `written`. */
  nextDocument(keptUntil: Record<"running" | "ended", Date>): EventsDocument {
    this.#attempt ??= this.#unstoredDocument(keptUntil);
    return this.#attempt;
  }

  #unstoredDocument(keptUntil: Record<"running" | "ended", Date>): EventsDocument {
    const first = this.#stored + 1;
    const written = this.#writtenFrom(first);
    let events = written?.text ?? "";
    let count = written?.count ?? 0;
    for (let index = first - this.#first + count; index < this.#events.length; index += 1) {
      if (events.length >= documentLength) break;
      const event = this.#events[index];
      if (event !== undefined) events += lineOf(event);
      count += 1;
    }
    const { projectId, sessionId } = this.key;
    const isLast = this.isEnded && this.#stored + count === this.last;
    const until = isLast ? keptUntil.ended : keptUntil.running;
    const _id = eventsId(this.key, first);
    return { _id, projectId, sessionId, first, count, events, isLast, keptUntil: until };
  }

  /** The lines of the turn's last write, if they are exactly the next events and fit into a document. */
  #writtenFrom(first: number): Lines | undefined {
    const lines = this.#written;
    if (lines?.first !== first || first + lines.count - 1 > this.last) return undefined;
    const start = first - this.#first + lines.count - lines.predicted.length;
    const haveCome = lines.predicted.every(({ type, json }, index) => {
      const event = this.#events[start + index];
      return event?.type === type && event.json === json;
    });
    return haveCome && lines.text.length <= documentLength ? lines : undefined;
  }

  /** Its events are stored. The ones before them leave the memory: readers seldom lag that far behind. */
  written({ first, count, isLast }: EventsDocument): void {
    this.#attempt = undefined;
    this.#events.splice(0, first - this.#first);
    this.#first = first;
    this.#stored = first + count - 1;
    this.#unstoredLength = 0;
    this.#written = undefined;
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

function linesOf(events: readonly Line[]): string {
  let text = "";
  for (const event of events) text += lineOf(event);
  return text;
}
