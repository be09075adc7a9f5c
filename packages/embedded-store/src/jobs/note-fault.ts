import { sourceStack } from "@muster/service/source-stack";
import type { Doc } from "../bson/value.ts";
import { errorReply } from "../commands/dispatch.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../open-store.ts";
import { type Database, isDamage, isFull } from "../storage/database.ts";
import { NoRoomError } from "../storage/disk-reserve.ts";

/** An error inside the store. */
export interface Fault {
  /** The error that clients of the affected commands receive. A part of the command's writes may be on disk. */
  readonly reply: (isPartial: boolean) => Doc;
  /** The disk is full: of the writes, only those that make room can be repeated, with the reserve. */
  readonly isFull: boolean;
}

/** Logs an error inside the store, and notes a full disk. */
export function noteFault({ database }: Store, error: unknown, log: (line: string) => void): Fault {
  const isDiskFull = isFull(error);
  if (isDamage(error)) database.isSuspect = true;
  if (isDiskFull) database.noteDiskFull();
  // The fault that filled the disk is in the log already.
  if (error instanceof NoRoomError)
    return { reply: (isPartial) => errorReply(database.diskFull(isPartial)), isFull: true };
  const text = error instanceof Error ? sourceStack(error.stack ?? error.message) : String(error);
  log(`a command failed inside the store: ${text}`);
  const reply = (isPartial: boolean) => errorReply(problemOf(database, error, isPartial));
  return { reply, isFull: isDiskFull };
}

function problemOf(database: Database, error: unknown, isPartial: boolean): StoreError {
  if (isFull(error)) return database.diskFull(isPartial);
  if (isDamage(error)) return database.damaged();
  const written = isPartial ? "a part of the writes remains" : "nothing was written";
  return new StoreError("InternalError", `The store failed; ${written}`);
}
