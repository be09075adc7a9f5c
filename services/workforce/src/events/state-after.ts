import type { UsedSoFar } from "../store/recording-document.ts";

/**
 * The relation of a document of events to the recording of its run. The next document continues the state at its end.
 */
export interface RecordedPart {
  /** `rec_…` */
  id: string;
  /** A number for each line of the timeline, with spaces: milliseconds since the line before, the first since the run began. */
  times: string;
  /** The timeline, a line for each event. Absent: it consists of the document's events. */
  lines?: string;
  /** When the last line was written, in milliseconds since the run began. */
  untilMs: number;
  /** Bytes of the timeline so far. */
  bytes: number;
  /** The latest message of the timeline. Null: none. */
  messageId: string | null;
  /** The usage of the run so far. Null: nothing. */
  used: UsedSoFar | null;
  /** The usage when its latest turn began. */
  usedBefore: UsedSoFar | null;
}

/** The recording of a run that continues. */
export interface RecordingOfRun {
  /** `rec_…` */
  id: string;
  /** The zero of the timeline. */
  startedAtMs: number;
}

/** The place that the timeline of a recording has reached. */
export type TimelineState = Pick<RecordedPart, "untilMs" | "bytes" | "messageId" | "used" | "usedBefore">;

/** Continues the timeline of the same recording; another one begins from zero. */
export function stateAfter(part: RecordedPart | undefined, id: string): TimelineState {
  if (part?.id !== id) return { untilMs: 0, bytes: 0, messageId: null, used: null, usedBefore: null };
  const { untilMs, bytes, messageId, used, usedBefore } = part;
  return { untilMs, bytes, messageId, used, usedBefore };
}
