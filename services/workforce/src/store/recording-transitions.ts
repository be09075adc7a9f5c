/**
 * The states of a recording. `requested`: its run has not reached the computer yet. `recording`: the run continues.
 * `processing`: it has ended, and the video is made. `unavailable`: the run never reached its computer, or nothing can
 * be stored here. `deleted` is shown as `unavailable`.
 *
 * The thread's document has `requested` and `unavailable`, and `recording` as a part of the write that begins the run. From
 * then on, the recording has a document of its own.
 */
export const recordingStatuses = [
  "requested",
  "recording",
  "processing",
  "ready",
  "failed",
  "unavailable",
  "deleted",
] as const;
export type RecordingStatus = (typeof recordingStatuses)[number];

/** A new status does not compile until it has a row. */
const next = {
  requested: ["recording", "unavailable"],
  recording: ["processing", "deleted"],
  processing: ["ready", "failed", "deleted"],
  ready: ["deleted"],
  failed: ["deleted"],
  unavailable: [],
  deleted: [],
} as const satisfies Record<RecordingStatus, readonly RecordingStatus[]>;

type Next = typeof next;

/** The statuses from which the table leads to this one. */
export type Before<To extends RecordingStatus> = {
  [From in RecordingStatus]: To extends Next[From][number] ? From : never;
}[RecordingStatus];

export function isLegal(from: RecordingStatus, to: RecordingStatus): boolean {
  return next[from].some((status) => status === to);
}

/** It will not change any further. */
export function isFinalRecording(status: RecordingStatus): boolean {
  return status !== "requested" && status !== "recording" && status !== "processing";
}
