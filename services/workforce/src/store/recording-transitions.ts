import type { Before } from "@muster/store";

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

/** The legal changes. A new status does not compile until it has a row. */
export const recordingTransitions = {
  requested: ["recording", "unavailable"],
  recording: ["processing", "deleted"],
  processing: ["ready", "failed", "deleted"],
  ready: ["deleted"],
  failed: ["deleted"],
  unavailable: [],
  deleted: [],
} as const satisfies Record<RecordingStatus, readonly RecordingStatus[]>;

/** Where a deletion may start. */
export type Deletable = Before<typeof recordingTransitions, "deleted">;

/** It will not change any further. */
export function isFinalRecording(status: RecordingStatus): boolean {
  return status !== "requested" && status !== "recording" && status !== "processing";
}
