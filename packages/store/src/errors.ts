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

/** No server answered when the store was opened. The message says where was tried and what to do. */
export class StoreUnreachableError extends Error {
  constructor(where: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The document store at ${where} cannot be reached (${reason}). ` +
        "Check that it runs and that MONGODB_URI names it with the right credentials.",
      { cause },
    );
    this.name = "StoreUnreachableError";
  }
}

const duplicateKeyCode = 11000;

/** True when a write was refused because of a unique index, also for one of several in a bulk write. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKeyCode;
}

/**
 * True when the store did not answer or had no primary: the operation may or may not have happened, and trying
 * again later can help. Never true for a write that was refused.
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (
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

const socketFailureCodes: ReadonlySet<unknown> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ECONNREFUSED",
  "ETIMEDOUT",
]);

/** A write to a connection that the server has just closed comes out of the driver as the system's own error. */
function isSocketFailure(error: unknown): boolean {
  return (
    error instanceof Error && "syscall" in error && "code" in error && socketFailureCodes.has(error.code)
  );
}
