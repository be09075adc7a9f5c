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

/**
 * True if the store did not respond or did not have a primary: the operation may or may not have happened, and
 * a later retry can help. Never true for a refused write.
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

/** The sentence for callers if the error means that the store did not respond. */
export function storeOutageOf(error: unknown): string | undefined {
  return isStoreUnavailable(error) ? storeOutage : undefined;
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
