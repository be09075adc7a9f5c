import type { Readable } from "node:stream";
import type { FileKey, FileRecord } from "./file-record.ts";

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
