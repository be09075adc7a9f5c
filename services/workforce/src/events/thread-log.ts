import type { ThreadEvent } from "@muster/proto/workforce";
import {
  documentLength,
  type EventLine,
  EventLog,
  type EventLogOptions,
  endOf,
  eventsId,
  lineOf,
} from "@muster/store/event-log";
import type { UsedSoFar } from "../store/recording-document.ts";
import { type StoredWait, shownWait } from "../store/thread-document.ts";
import { type RecordingOfRun, stateAfter, type TimelineState } from "./state-after.ts";
import type { RelayCursor, ThreadEvents } from "./thread-events.ts";
import { TimelineWriter } from "./timeline-writer.ts";
import { usedAfter } from "./used-after.ts";

/** Characters that may wait for the store; beyond it, the run waits. */
const maxWaiting = 512 * 1024;
/** Pieces of a command's output are joined up to this length. */
const outputLength = 16 * 1024;
/** The interval while the run is recorded: later output has a time of its own. */
const outputTimeMs = 50;
/** Characters of events that a document with a message may have, because it has them twice. */
const repeatedLength = 16 * 1024;

/** Whose events are written. */
export interface ThreadOfLog {
  projectId: string;
  threadId: string;
  /** The epoch of the slot that this instance holds. */
  epoch: number;
  /** Absent: the run is not recorded, or has not begun. */
  recording?: RecordingOfRun | undefined;
}

interface ThreadLogOptions extends Pick<EventLogOptions, "onDue"> {
  thread: ThreadOfLog;
  /** Where the thread's events end. Null: there are none. */
  end: Omit<ThreadEvents, "events"> | null;
  writer: string;
  /** The time, for recordings. */
  nowMs(): number;
  /** How long events that are stored now are kept. */
  expiresAt(): Date;
}

/** A message that begins a turn, for the timeline of a recording. */
export interface TurnMessage extends EventLine {
  /** `msg_…` */
  id: string;
}

interface TimedMessage extends TurnMessage {
  atMs: number;
}

/** The fields that an event adds to its document. */
interface Note {
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

type NotedEvent = ThreadEvent & { note: Note };

/**
 * The events of one thread whose run this instance executes. Readers see only stored events: so none is lost or repeated when
 * another instance takes the run over.
 */
export class ThreadLog extends EventLog<NotedEvent, ThreadEvents> {
  readonly #options: ThreadLogOptions;
  readonly thread: ThreadOfLog;
  #status: string;
  #cursor: RelayCursor | null;
  #recording: RecordingOfRun | undefined;
  /** The timeline of the last stored document. */
  #timeline: TimelineState;
  /** Precedes the next event. */
  #message: TimedMessage | undefined;
  #used: Pick<TimelineState, "used" | "usedBefore">;

  constructor(options: ThreadLogOptions) {
    const { thread, end, onDue } = options;
    const ahead = { events: Number.POSITIVE_INFINITY, characters: maxWaiting };
    const first = end === null ? 1 : endOf(end) + 1;
    super({ id: thread.threadId, first, readers: "of-stored", ahead, onDue });
    this.#options = options;
    this.thread = thread;
    this.#status = end?.status ?? "";
    this.#cursor = end?.cursor ?? null;
    this.#recording = thread.recording;
    this.#timeline = stateAfter(end?.recorded, thread.recording?.id ?? "");
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

  /** How far the stored events relay the calls to the session. */
  get cursor(): RelayCursor | null {
    return this.#cursor;
  }

  /** An event of the session. Runs for every delta. */
  relay({ type, json }: EventLine, cursor: RelayCursor): void {
    if (this.#recording !== undefined && type === "usage")
      this.#used = { ...this.#used, used: usedAfter(this.#used.usedBefore, json) };
    this.#push(type, type === "persisted" ? renumbered(json, this.last + 1) : json, { cursor });
  }

  /** The output of a command on the computer. */
  output(toolCallId: string, stream: "stdout" | "stderr", text: string): void {
    const key = `${stream} ${toolCallId}`;
    const { newest } = this;
    const { output, atMs } = newest?.note ?? {};
    const isNow = atMs === undefined || this.#nowMs() - atMs <= outputTimeMs;
    if (newest !== undefined && isNow && output?.key === key && output.text.length < outputLength) {
      output.text += text;
      this.replace(newest, output.encode(output.text));
      return;
    }
    const encode = (whole: string) =>
      JSON.stringify({ type: "computer-output", toolCallId, stream, text: whole.toWellFormed() });
    this.#push("computer-output", encode(text), { output: { key, text, encode } });
  }

  /** The thread's status has changed. `isEnd`: no event follows in this run. */
  status(status: string, isEnd = false, waitingFor?: StoredWait): void {
    this.#push("thread-status", statusJson(status, waitingFor), { status, ...(isEnd && { isEnd }) });
    this.#options.onDue(true);
  }

  #push(type: string, json: string, note: Note): void {
    if (this.#recording !== undefined) {
      note.atMs = this.#nowMs();
      if (this.#message !== undefined) note.message = this.#message;
      this.#message = undefined;
    }
    this.append({ $typeName: "muster.workforce.v1.ThreadEvent", sequence: this.last + 1, type, json, note });
  }

  #nowMs(): number {
    return this.#recording === undefined ? 0 : this.#options.nowMs() - this.#recording.startedAtMs;
  }

  /** Resolves when there is room for more. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) await this.whenWritten(signal);
  }

  protected override compose(first: number, unstored: readonly NotedEvent[]): ThreadEvents {
    const { projectId, threadId, epoch } = this.thread;
    const { writer } = this.#options;
    let events = "";
    let count = 0;
    let status = this.#status;
    let cursor = this.#cursor;
    let isEnd = false;
    const timeline = this.#recording && new TimelineWriter(this.#timeline);
    let isRepeated = false;
    for (const event of unstored) {
      const { note } = event;
      isRepeated ||= note.message !== undefined;
      const isFull = isRepeated
        ? events.length + event.json.length > repeatedLength
        : events.length >= documentLength;
      // The document that stays is a small one.
      if (count > 0 && (isFull || note.isEnd)) break;
      events += lineOf(event);
      if (timeline !== undefined) addTo(timeline, event);
      status = note.status ?? status;
      cursor = note.cursor ?? cursor;
      isEnd = note.isEnd ?? false;
      count += 1;
    }
    const recorded = this.#recording && timeline?.part(this.#recording.id, this.#used);
    const expiresAt = isEnd || recorded !== undefined ? null : this.#options.expiresAt();
    const at = { _id: eventsId(threadId, first), projectId, threadId, writer, epoch, first, count };
    return { ...at, events, status, cursor, expiresAt, ...(recorded && { recorded }) };
  }

  override written(document: ThreadEvents): void {
    const { status, cursor, recorded } = document;
    this.#status = status;
    this.#cursor = cursor;
    if (recorded !== undefined) this.#timeline = recorded;
    super.written(document);
  }
}

function usageIn({ used, usedBefore }: TimelineState): Pick<TimelineState, "used" | "usedBefore"> {
  return { used, usedBefore };
}

/** An event that is older than the recording has no time. */
function addTo(timeline: TimelineWriter, { type, json, note: { atMs, message } }: NotedEvent): void {
  if (atMs === undefined) {
    timeline.skip();
    return;
  }
  if (message !== undefined) timeline.message(message, message.id);
  timeline.event({ type, json, atMs });
}

export function statusJson(status: string, waitingFor?: StoredWait): string {
  if (waitingFor === undefined) return JSON.stringify({ type: "thread-status", status });
  return JSON.stringify({
    type: "thread-status",
    status,
    waitingFor: { ...shownWait(waitingFor), since: waitingFor.since },
  });
}

/** `persisted` names the last event that survives a crash, in the numbers of the session. Here, every event does. */
function renumbered(json: string, sequence: number): string {
  const event: unknown = JSON.parse(json);
  return JSON.stringify({ ...(typeof event === "object" ? event : {}), sequence });
}
