import type { Readable } from "node:stream";
import type { RecordingKey, RecordingName } from "./recording-key.ts";

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
