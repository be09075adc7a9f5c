import type { ErrorEvent } from "../engine/events.ts";

/** Why an execution is ended before it is over. */
export type StopCause =
  /** The caller went away. */
  | "disconnected"
  /** CancelExecution. */
  | "cancelled"
  /** ClearSession: nothing is left to write to. */
  | "cleared"
  /** Another instance has the session: nothing may be written any more. */
  | "lost"
  /** A write failed, or the lease could not be renewed in time. */
  | "store-down"
  /** The conversation has outgrown what can be stored. */
  | "too-large"
  /** The service ends. */
  | "stopping";

/** After these the session belongs to somebody else. */
export function mayStillWrite(cause: StopCause | undefined): boolean {
  return cause !== "cleared" && cause !== "lost";
}

/** The error that ends the stream; undefined where stopping is what somebody wanted. */
export function errorAfter(cause: StopCause | undefined): ErrorEvent | undefined {
  switch (cause) {
    case undefined:
    case "disconnected":
    case "cancelled":
      return undefined;
    case "cleared":
      return clearedError;
    case "lost":
      return lostError;
    case "store-down":
      return notStoredError;
    case "too-large":
      return tooLargeError;
    case "stopping":
      return stoppingError;
    default:
      return cause satisfies never;
  }
}

const clearedError: ErrorEvent = {
  type: "error",
  errorType: "execution_error",
  message: "The session was cleared while it was running; create or restore one to go on.",
  source: "client",
  retryable: false,
  code: "SESSION_EXPIRED",
};

const lostError: ErrorEvent = {
  type: "error",
  errorType: "execution_error",
  message: "The session was taken over while it was running; read it before you trigger it again.",
  source: "platform",
  retryable: true,
  code: "SESSION_BUSY",
};

const notStoredError: ErrorEvent = {
  type: "error",
  errorType: "internal_error",
  message: "The conversation could not be stored; what follows the last persisted event is lost. Try again.",
  source: "platform",
  retryable: true,
  code: "UNAVAILABLE",
};

const stoppingError: ErrorEvent = {
  type: "error",
  errorType: "execution_error",
  message: "The service is stopping; what was written so far is kept. Try again.",
  source: "platform",
  retryable: true,
  code: "UNAVAILABLE",
};

const tooLargeError: ErrorEvent = {
  type: "error",
  errorType: "execution_error",
  message:
    "The session would grow beyond what can be stored; what follows the last persisted event is lost. " +
    "Roll it back or create a new one.",
  source: "platform",
  retryable: false,
  code: "PAYLOAD_TOO_LARGE",
};

export const internalError: ErrorEvent = {
  type: "error",
  errorType: "internal_error",
  message: "The execution failed unexpectedly; what follows the last persisted event is lost.",
  source: "platform",
  retryable: false,
  code: "INTERNAL",
};
