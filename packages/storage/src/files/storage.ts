import type { Readable } from "node:stream";

/** Where a file lies. Every part is 1-100 letters, digits, `_` or `-`. */
export interface FileKey {
  readonly projectId: string;
  /** The session or the workforce agent that the file belongs to. */
  readonly ownerId: string;
  /** `file_…`. */
  readonly id: string;
}

/** A file as announced. */
export interface FileRecord extends FileKey {
  readonly mediaType: string;
  /** Bytes, at least 1. */
  readonly size: number;
  /** 1-255 characters without path separators or control characters. */
  readonly filename: string;
}

/** A file that was uploaded. */
export interface StoredFile {
  readonly record: FileRecord;
  /** The content; can be called once. The stream closes the file when it has ended or is destroyed. */
  read(): Readable;
  /** For a file that is not read. */
  close(): Promise<void>;
}

/** Keeps uploaded files. A stored file never changes. */
export interface FileStorage {
  /**
   * Stores the file once all of its bytes have arrived. False if a file with this id exists; then nothing changes. Throws
   * `WrongSizeError` as soon as the size is known to differ, and whatever the source throws; then nothing is stored.
   */
  put(record: FileRecord, bytes: AsyncIterable<Uint8Array>): Promise<boolean>;
  /** Undefined if nothing was stored under this key. */
  open(key: FileKey): Promise<StoredFile | undefined>;
  /** Removes all files of an owner. Removing them again succeeds. */
  removeOwner(owner: Pick<FileKey, "projectId" | "ownerId">): Promise<void>;
  /** Removes all files that were uploaded before this time, and the remains of uploads that broke off. */
  removeBefore(timeMs: number): Promise<void>;
}

/** The body is shorter or longer than the upload was announced. */
export class WrongSizeError extends Error {
  constructor(expected: number) {
    super(`The file must have exactly ${expected} bytes.`);
    this.name = "WrongSizeError";
  }
}

const part = /^[A-Za-z0-9_-]{1,100}$/;

/** True if every part can be the name of a folder or a file, and nothing else. */
export function isFileKey({ projectId, ownerId, id }: FileKey): boolean {
  return [projectId, ownerId, id].every((text) => part.test(text));
}
