import {
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from "mongodb";

/** For callers of a service whose store does not respond. */
export const storeOutage = "The document store does not respond.";

const storeFull =
  "The disk of the document store is full, and nothing was stored. Free space on it, or delete data: reading and deleting still work.";

const storeOverload = "The document store has no memory left for this query. Try again.";

/** No server responded when the store was opened. The message names the address and the remedy. */
export class StoreUnreachableError extends Error {
  constructor(where: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `the document store at ${where} cannot be reached (${reason}); ` +
        "check that it is running and that MONGODB_URI has its address and the right credentials",
      { cause },
    );
    this.name = "StoreUnreachableError";
  }
}

const duplicateKeyCode = 11000;

/** True if a unique index refused a write, including one of several in a bulk write. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

/** Waits for an insert. False: a document with its key exists. */
export async function unlessDuplicate(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** QueryExceededMemoryLimitNoDiskUseAllowed: other queries, or this one, use the memory for sorts and long scans. */
const memoryExceededCode = 292;

function isOverload(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === memoryExceededCode;
}

/** OutOfDiskSpace. */
const diskFullCode = 14031;

/** True if the store refused a write because its disk is full. */
export function isStoreFull(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === diskFullCode;
}

/**
 * Option of a write that is part of a deletion, or frees what something else waits for: the embedded store executes it on a full
 * disk, too. Any other server ignores it.
 */
export const deletion = { comment: "deletion" } as const;

/**
 * True if the store did not respond, did not have a primary, or had no memory or no disk space for the operation, which
 * may or may not have happened: a later retry can help. Never true for a write that is refused for its contents.
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (
    isOverload(error) ||
    isStoreFull(error) ||
    error instanceof StoreUnreachableError ||
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoWriteConcernError ||
    isSocketFailure(error)
  ) {
    return true;
  }
  return (
    error instanceof MongoError &&
    (error.hasErrorLabel(MongoErrorLabel.RetryableWriteError) || error.name === "MongoWaitQueueTimeoutError")
  );
}

/** The report to callers. */
export interface StoreOutage {
  /** One sentence. */
  readonly message: string;
  /** The disk is full: reads and deletions work. */
  readonly isStorageFull?: boolean;
}

/** The report to callers if the error means that the store did not respond, or not now. */
export function storeOutageOf(error: unknown): StoreOutage | undefined {
  if (isStoreFull(error)) return { message: storeFull, isStorageFull: true };
  if (isOverload(error)) return { message: storeOverload };
  return isStoreUnavailable(error) ? { message: storeOutage } : undefined;
}

const socketFailureCodes: ReadonlySet<unknown> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ECONNREFUSED",
  "ETIMEDOUT",
]);

/** If the server has just closed a connection, the driver reports a write to it as a plain system error. */
function isSocketFailure(error: unknown): boolean {
  return (
    error instanceof Error && "syscall" in error && "code" in error && socketFailureCodes.has(error.code)
  );
}
