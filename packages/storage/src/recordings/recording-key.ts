/** A recording. */
export interface RecordingName {
  /** 1-100 letters, digits, `_` or `-`. */
  readonly projectId: string;
  /** `rec_…`. */
  readonly recordingId: string;
}

/** One attempt to render a recording. */
export interface RecordingKey extends RecordingName {
  /** The number of the claim, from 1. Each attempt stores its files under its own, so that none disturbs another. */
  readonly epoch: number;
}

const projectIds = /^[A-Za-z0-9_-]{1,100}$/;
const recordingIds = /^rec_[A-Za-z0-9_-]{1,96}$/;

/** True for `rec_…` that can be the name of a folder, and nothing else. */
export function isRecordingId(text: string): boolean {
  return recordingIds.test(text);
}

/** True if both parts can be names of folders, and nothing else. */
export function isRecordingName({ projectId, recordingId }: RecordingName): boolean {
  return projectIds.test(projectId) && isRecordingId(recordingId);
}

export function isEpoch(epoch: number): boolean {
  return Number.isSafeInteger(epoch) && epoch >= 1;
}
