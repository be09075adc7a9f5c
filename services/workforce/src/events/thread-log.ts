import type { ThreadEvent } from "@muster/proto/workforce";
import type { UsedSoFar } from "../store/recording-document.ts";
import { type RecordingOfRun, stateAfter, type TimelineState } from "./recorded-part.ts";
import {
  type EventLine,
  endOf,
  eventsAfter,
  eventsId,
  type LastEvents,
  lineOf,
  type RelayCursor,
  type ThreadEventsDocument,
} from "./thread-events-document.ts";
import { TimelineWriter } from "./timeline-writer.ts";
import { usedAfter } from "./used-after.ts";

/** Characters of events in one document, unless a single event is longer. */
const documentLength = 128 * 1024;
/** Characters that may wait for the store; beyond it, the run waits. */
const maxWaiting = 512 * 1024;
/** Characters of stored events that stay in memory for readers on this instance. */
const recentLength = 128 * 1024;
/** Pieces of a command's output are joined up to this length. */
const outputLength = 16 * 1024;
/** The interval while the run is recorded: later output has a time of its own. */
const outputTimeMs = 50;
/** Characters of events that a document with a message may have, because it has them twice. */
const repeatedLength = 16 * 1024;

interface Hooks {
  /** The time, for recordings. */
  nowMs(): number;
  /** Something waits for the store. `isUrgent`: it should not wait for more. */
  onDue(log: ThreadLog, isUrgent: boolean): void;
  newWriter(): string;
}

export interface LogStart {
  projectId: string;
  threadId: string;
  /** The epoch of the slot that this instance holds. */
  epoch: number;
  /** Where the thread's events end. Null: there are none. */
  last: LastEvents | null;
  /** Absent: the run is not recorded, or has not begun. */
  recording?: RecordingOfRun | undefined;
}

/** A message that begins a turn, for the timeline of a recording. */
export interface TurnMessage extends EventLine {
  /** `msg_…` */
  id: string;
}

interface TimedMessage extends TurnMessage {
  atMs: number;
}

interface Waiting extends EventLine {
  /** The status or the place in the session's events that the event leads to. */
  status?: string;
  isEnd?: true;
  cursor?: RelayCursor;
  /** Set on output of a command that later output may join. */
  output?: { key: string; text: string; encode(text: string): string };
  /** Since the run began. Absent: it is not recorded. */
  atMs?: number;
  /** The message that precedes it in the timeline. */
  message?: TimedMessage;
}

/**
 * The events of one thread whose run this instance executes. Numbers are given when the events are stored, and readers see
 * only stored events: so no event changes its number, and none is lost or repeated when another instance takes the run over.
 */
export class ThreadLog {
  readonly start: LogStart;
  readonly #hooks: Hooks;
  #waiting: Waiting[] = [];
  #waitingLength = 0;
  #next: number;
  #status: string;
  #cursor: RelayCursor | null;
  #recording: RecordingOfRun | undefined;
  /** The timeline of the last stored document. */
  #timeline: TimelineState;
  /** Precedes the next event. */
  #message: TimedMessage | undefined;
  #used: Pick<TimelineState, "used" | "usedBefore">;
  /** Under way to the store, or failed. A command that failed can have arrived, so it is repeated unchanged. */
  #attempt: { document: ThreadEventsDocument; taken: number } | undefined;
  #recent: ThreadEventsDocument[] = [];
  #recentLength = 0;
  #isLost = false;
  readonly #readers = new Set<() => void>();
  #afterWrite: Array<() => void> = [];

  constructor(start: LogStart, hooks: Hooks) {
    this.start = start;
    this.#hooks = hooks;
    this.#next = start.last === null ? 1 : endOf(start.last) + 1;
    this.#status = start.last?.status ?? "";
    this.#cursor = start.last?.cursor ?? null;
    this.#recording = start.recording;
    this.#timeline = stateAfter(start.last?.recorded, start.recording?.id ?? "");
    this.#used = usageIn(this.#timeline);
  }

  /** From now on, the events are the timeline of a recording. */
  record(recording: RecordingOfRun): void {
    this.#recording = recording;
    this.#timeline = stateAfter(undefined, recording.id);
  }

  /** A turn begins with this message. It is for the timeline only, once, however often a process begins with the turn. */
  message(message: TurnMessage): void {
    if (this.#recording === undefined || this.#timeline.messageId === message.id) return;
    this.#message = { ...message, atMs: this.#nowMs() };
    this.#used = { used: this.#used.used, usedBefore: this.#used.used };
  }

  /** The usage of the run, if it is recorded. Null: nothing. */
  get used(): UsedSoFar | null {
    return this.#used.used;
  }

  /** The number of the last stored event. Final once the first event is stored: no earlier holder can write then. */
  get cursor(): RelayCursor | null {
    return this.#cursor;
  }

  /** The number of the next stored event. */
  get next(): number {
    return this.#next;
  }

  /** Another holder of the slot writes the events now. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get isDue(): boolean {
    return !this.#isLost && this.#waiting.length > 0;
  }

  get isFull(): boolean {
    return !this.#isLost && this.#waitingLength >= maxWaiting;
  }

  /** Someone on this instance waits for events. */
  get isWatched(): boolean {
    return this.#readers.size > 0;
  }

  /** An event of the session. Runs for every delta. */
  relay(event: EventLine, cursor: RelayCursor): void {
    if (this.#recording !== undefined && event.type === "usage")
      this.#used = { ...this.#used, used: usedAfter(this.#used.usedBefore, event.json) };
    this.#push({ type: event.type, json: event.json, cursor });
  }

  /** The output of a command on the computer. */
  output(toolCallId: string, stream: "stdout" | "stderr", text: string): void {
    const key = `${stream} ${toolCallId}`;
    const last = this.#waiting.at(-1);
    const isOpen = this.#attempt === undefined || this.#waiting.length > this.#attempt.taken;
    const isNow = last?.atMs === undefined || this.#nowMs() - last.atMs <= outputTimeMs;
    if (isOpen && isNow && last?.output?.key === key && last.output.text.length < outputLength) {
      last.output.text += text;
      const json = last.output.encode(last.output.text);
      this.#waitingLength += json.length - last.json.length;
      last.json = json;
      return;
    }
    const encode = (whole: string) =>
      JSON.stringify({ type: "computer-output", toolCallId, stream, text: whole.toWellFormed() });
    this.#push({ type: "computer-output", json: encode(text), output: { key, text, encode } });
  }

  /** The thread's status has changed. `isEnd`: no event follows in this run. */
  status(status: string, isEnd = false): void {
    const event = { type: "thread-status", json: statusJson(status), status };
    this.#push(isEnd ? { ...event, isEnd } : event);
    this.#hooks.onDue(this, true);
  }

  #push(event: Waiting): void {
    if (this.#isLost) return;
    if (this.#recording !== undefined) {
      event.atMs = this.#nowMs();
      if (this.#message !== undefined) event.message = this.#message;
      this.#message = undefined;
    }
    this.#waiting.push(event);
    this.#waitingLength += event.json.length;
    if (this.#waiting.length === 1 || this.isFull) this.#hooks.onDue(this, this.isFull);
  }

  #nowMs(): number {
    return this.#recording === undefined ? 0 : this.#hooks.nowMs() - this.#recording.startedAtMs;
  }

  /** Resolves when everything so far is stored, or the log is lost. Rejects with the reason of the signal. */
  async flushed(signal: AbortSignal): Promise<void> {
    while (this.isDue) {
      signal.throwIfAborted();
      this.#hooks.onDue(this, true);
      await this.whenWritten(signal);
    }
  }

  /** Resolves when there is room for more. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) await this.whenWritten(signal);
  }

  /** Resolves after the next attempt to store events, or when the signal is aborted. */
  whenWritten(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#afterWrite.push(done);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  /** Stored events after the given one; undefined if only the store has them. */
  after(sequence: number): ThreadEvent[] | undefined {
    if (sequence + 1 >= this.#next) return [];
    const found = this.#recent.find((each) => each.first <= sequence + 1 && endOf(each) > sequence);
    return found === undefined ? undefined : eventsAfter(found, sequence);
  }

  /** Resolves at the next stored event, when the time is up, or when the signal is aborted. */
  whenMore(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#readers.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.#readers.add(wake);
      signal.addEventListener("abort", wake);
      if (signal.aborted) wake();
    });
  }

  /** The next document to store; the same until it is `written` or `refused`. */
  nextDocument(expiresAt: Date): ThreadEventsDocument {
    this.#attempt ??= this.#compose(expiresAt);
    return this.#attempt.document;
  }

  #compose(expiresAt: Date): { document: ThreadEventsDocument; taken: number } {
    const { projectId, threadId, epoch } = this.start;
    const first = this.#next;
    let events = "";
    let taken = 0;
    let status = this.#status;
    let cursor = this.#cursor;
    let isEnd = false;
    const timeline = this.#recording && new TimelineWriter(this.#timeline);
    let isRepeated = false;
    for (const event of this.#waiting) {
      isRepeated ||= event.message !== undefined;
      const isFull = isRepeated
        ? events.length + event.json.length > repeatedLength
        : events.length >= documentLength;
      // The document that stays is a small one.
      if (taken > 0 && (isFull || event.isEnd)) break;
      const line = event.type === "persisted" ? renumbered(event, first + taken) : event;
      events += lineOf(line);
      if (timeline !== undefined) addTo(timeline, event, line);
      status = event.status ?? status;
      cursor = event.cursor ?? cursor;
      isEnd = event.isEnd ?? false;
      taken += 1;
    }
    const writer = this.#hooks.newWriter();
    const _id = eventsId(threadId, first);
    const at = { _id, projectId, threadId, writer, epoch, first, count: taken };
    const recorded = this.#recording && timeline?.part(this.#recording.id, this.#used);
    const staysBy = isEnd || recorded !== undefined ? null : expiresAt;
    const document = { ...at, events, status, cursor, expiresAt: staysBy, ...(recorded && { recorded }) };
    return { document, taken };
  }

  /** The attempt is stored. */
  written(): void {
    if (this.#attempt === undefined) return;
    const { document, taken } = this.#attempt;
    this.#attempt = undefined;
    for (const { json } of this.#waiting.splice(0, taken)) this.#waitingLength -= json.length;
    this.#next = endOf(document) + 1;
    this.#status = document.status;
    this.#cursor = document.cursor;
    if (document.recorded !== undefined) this.#timeline = document.recorded;
    this.#remember(document);
    for (const wake of [...this.#readers]) wake();
    this.#attempted();
  }

  #remember(document: ThreadEventsDocument): void {
    this.#recent.push(document);
    this.#recentLength += document.events.length;
    while (this.#recentLength > recentLength && this.#recent.length > 1) {
      this.#recentLength -= this.#recent.shift()?.events.length ?? 0;
    }
  }

  /** Another writer has the numbers of the attempt. `last`: where the thread's events end now. */
  refused(last: LastEvents | null): void {
    this.#attempt = undefined;
    if (last !== null && last.epoch > this.start.epoch) this.lose();
    else {
      if (last !== null) {
        this.#next = endOf(last) + 1;
        this.#cursor = last.cursor;
        if (this.#recording !== undefined && last.recorded !== undefined) {
          this.#timeline = stateAfter(last.recorded, this.#recording.id);
        }
      }
      this.#attempted();
    }
  }

  /** No more events are written here. */
  lose(): void {
    this.#isLost = true;
    this.#waiting = [];
    this.#waitingLength = 0;
    for (const wake of [...this.#readers]) wake();
    this.#attempted();
  }

  /** An attempt to store events has failed. */
  failed(): void {
    this.#attempted();
  }

  #attempted(): void {
    const waiting = this.#afterWrite;
    this.#afterWrite = [];
    for (const resolve of waiting) resolve();
  }
}

function usageIn({ used, usedBefore }: TimelineState): Pick<TimelineState, "used" | "usedBefore"> {
  return { used, usedBefore };
}

/** An event that is older than the recording has no time. */
function addTo(timeline: TimelineWriter, { atMs, message }: Waiting, { type, json }: EventLine): void {
  if (atMs === undefined) {
    timeline.skip();
    return;
  }
  if (message !== undefined) timeline.message(message, message.id);
  timeline.event({ type, json, atMs });
}

export function statusJson(status: string): string {
  return JSON.stringify({ type: "thread-status", status });
}

/** `persisted` names the last event that survives a crash, in the numbers of the session. Here, every event does. */
function renumbered({ type, json }: EventLine, sequence: number): EventLine {
  const event: unknown = JSON.parse(json);
  return { type, json: JSON.stringify({ ...(typeof event === "object" ? event : {}), sequence }) };
}
