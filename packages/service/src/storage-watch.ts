import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "./log.ts";

/** Whether a disk is full: known from a write that failed because of it, until a small one succeeds. */
export type StorageWatch = ReturnType<typeof createStorageWatch>;

interface StorageWatchOptions {
  /** For the log, such as `the document store`. */
  name: string;
  log: Logger;
  /** Whether the error of a write means that the disk is full. */
  meansFull(error: unknown): boolean;
  /** Writes a little. */
  probe(): Promise<unknown>;
}

/** Logs one line when the disk is full and one when it has space again, however many writes fail in between. */
export function createStorageWatch({ name, log, meansFull, probe }: StorageWatchOptions) {
  let wasFull = false;
  let probing: Promise<boolean> | undefined;
  const tryToWrite = async () => {
    try {
      await probe();
      wasFull = false;
      log.info(`the disk of ${name} has space again`);
    } catch {
      // It is unknown whether the disk has space, so what was known stays.
    }
    probing = undefined;
    return wasFull;
  };
  return {
    /** Takes note of a failure of any kind. Returns whether it means that the disk is full. */
    failed: (error: unknown) => {
      if (!meansFull(error)) return false;
      if (!wasFull)
        log.error({ err: error }, `the disk of ${name} is full: writes are refused until it has space`);
      wasFull = true;
      return true;
    },
    /** Asks the storage only if it was full before. Concurrent callers share one attempt. Never rejects. */
    isFull: async () => {
      if (!wasFull) return false;
      probing ??= tryToWrite();
      return await probing;
    },
  };
}

const probeBytes = 1024 * 1024;

/** The watch of the disk that a folder is on, which the full disk may have kept from being made. */
export function createFolderWatch(name: string, directory: string, log: Logger): StorageWatch {
  const path = join(directory, ".space-probe");
  const probe = async () => {
    try {
      await mkdir(directory, { recursive: true });
      await writeFile(path, Buffer.alloc(probeBytes), { mode: 0o600 });
    } finally {
      await rm(path, { force: true });
    }
  };
  return createStorageWatch({ name, log, meansFull: isDiskFull, probe });
}

const fullCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

/** Whether an operation on a file failed because the disk is full or a quota is used up. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && fullCodes.has(error.code);
}
