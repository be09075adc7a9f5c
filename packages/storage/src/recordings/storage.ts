import type { Readable } from "node:stream";

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

/** The files of a rendered recording. */
export const recordingFiles = ["video.webm", "chapters.vtt", "transcript.vtt"] as const;

export type RecordingFile = (typeof recordingFiles)[number];

/** Where the rendered files are: absolute paths, on any file system. */
export interface RenderedPaths {
  readonly video: string;
  readonly chapters: string;
  readonly transcript: string;
}

/** Positions of bytes. Both are included, as in HTTP. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A stored file. It stays readable if it is removed in the meantime. */
export interface OpenedFile {
  /** In bytes. */
  readonly size: number;
  readonly mtimeMs: number;
  /** The content, or a part of it; can be called once. The stream closes the file when it has ended or is destroyed. */
  read(range?: ByteRange): Readable;
  /** For a file that is not read. */
  close(): Promise<void>;
}

/** An attempt whose files are stored. */
export interface StoredAttempt extends RecordingKey {
  readonly storedAtMs: number;
}

/**
 * Keeps the files of rendered recordings. The files of one attempt appear together and never change. Every method throws for
 * a key with a part that cannot be the name of a folder.
 */
export interface RecordingStorage {
  /** Stores copies of the files. If this attempt has files, they stay unchanged. */
  put(key: RecordingKey, files: RenderedPaths): Promise<void>;
  /** Undefined if this attempt has no files. */
  open(key: RecordingKey, file: RecordingFile): Promise<OpenedFile | undefined>;
  /** Removes the files of all attempts. Removing them again succeeds. */
  remove(recording: RecordingName): Promise<void>;
  /** Removes the files of one attempt. Removing them again succeeds. */
  removeAttempt(key: RecordingKey): Promise<void>;
  /** All attempts that have files, in no order. */
  attempts(): AsyncIterable<StoredAttempt>;
  /** Removes the remains of writes that broke off before this time. */
  removeDraftsBefore(timeMs: number): Promise<void>;
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
