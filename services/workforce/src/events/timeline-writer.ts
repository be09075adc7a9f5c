import { type EventLine, lineOf } from "@muster/store/event-log";
import type { RecordedPart, TimelineState } from "./state-after.ts";
import { Thinning } from "./thinning.ts";

/** Bytes of a timeline that are kept unchanged. Afterwards it is thinned. */
const fullBytes = 40 * 1024 * 1024;
/** Bytes of a timeline. Afterwards, only the thread's statuses are kept. */
const maxBytes = 50 * 1024 * 1024;

export interface TimedLine extends EventLine {
  atMs: number;
}

/** Builds the part of the timeline that belongs to one document of events. */
export class TimelineWriter {
  readonly #state: TimelineState;
  readonly #thinning = new Thinning();
  readonly #times: number[] = [];
  #lines = "";
  #untilMs: number;
  #bytes: number;
  #messageId: string | null;
  /** The timeline is not simply the document's events. */
  #differs = false;

  constructor(state: TimelineState) {
    this.#state = state;
    this.#untilMs = state.untilMs;
    this.#bytes = state.bytes;
    this.#messageId = state.messageId;
  }

  /** An event of the document that is older than the recording. */
  skip(): void {
    this.#differs = true;
  }

  /** A message, which readers of events do not see. */
  message(line: TimedLine, id: string): void {
    this.#differs = true;
    this.#messageId = id;
    if (this.#bytes < maxBytes) this.#keep(line);
  }

  event(line: TimedLine): void {
    const kept = this.#bytes < fullBytes ? line : this.#thinned(line);
    if (kept !== line) this.#differs = true;
    if (kept !== undefined) this.#keep({ ...kept, atMs: line.atMs });
  }

  #thinned(line: TimedLine): EventLine | undefined {
    if (line.type === "thread-status") return line;
    return this.#bytes < maxBytes ? this.#thinning.kept(line) : undefined;
  }

  #keep(line: TimedLine): void {
    const atMs = Math.max(this.#untilMs, line.atMs);
    this.#times.push(atMs - this.#untilMs);
    this.#untilMs = atMs;
    const text = lineOf(line);
    this.#lines += text;
    this.#bytes += Buffer.byteLength(text);
  }

  /** Undefined: nothing of the document belongs to the timeline. */
  part(id: string, used: Pick<TimelineState, "used" | "usedBefore">): RecordedPart | undefined {
    if (this.#times.length === 0 && this.#state.bytes === 0) return undefined;
    return {
      ...{ id, times: this.#times.join(" "), untilMs: this.#untilMs, bytes: this.#bytes },
      ...{ messageId: this.#messageId, ...used },
      ...(this.#differs && { lines: this.#lines }),
    };
  }
}
