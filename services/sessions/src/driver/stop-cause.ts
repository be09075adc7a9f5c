import type { StreamError } from "@muster/error-codes";
import type { Persistence } from "./persistence.ts";

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
export function errorAfter(
  cause: StopCause | undefined,
  keeps: Persistence["keeps"],
): StreamError | undefined {
  return cause === undefined ? undefined : errors[keeps][cause];
}

const fromPlatform = { type: "error", errorType: "execution_error", source: "platform" } as const;

const errors: Record<Persistence["keeps"], Record<StopCause, StreamError | undefined>> = {
  conversation: {
    disconnected: undefined,
    cancelled: undefined,
    cleared: {
      ...fromPlatform,
      message: "The session was cleared while it was running; create or restore one to go on.",
      source: "client",
      retryable: false,
      code: "SESSION_EXPIRED",
    },
    lost: {
      ...fromPlatform,
      message: "The session was taken over while it was running; read it before you trigger it again.",
      retryable: true,
      code: "SESSION_BUSY",
    },
    "store-down": {
      ...fromPlatform,
      errorType: "internal_error",
      message:
        "The conversation could not be stored; what follows the last persisted event is lost. Try again.",
      retryable: true,
      code: "UNAVAILABLE",
    },
    stopping: {
      ...fromPlatform,
      message: "The service is stopping; what was written so far is kept. Try again.",
      retryable: true,
      code: "UNAVAILABLE",
    },
    "too-large": {
      ...fromPlatform,
      message:
        "The session would grow beyond what can be stored; what follows the last persisted event is lost. " +
        "Roll it back or create a new one.",
      retryable: false,
      code: "PAYLOAD_TOO_LARGE",
    },
  },
  pauses: {
    disconnected: undefined,
    cancelled: undefined,
    cleared: {
      ...fromPlatform,
      message: "The execution has expired while it was running; start another.",
      retryable: false,
      code: "NOT_FOUND",
    },
    lost: {
      ...fromPlatform,
      message: "The execution was taken over while it was running, by the same request sent again.",
      retryable: true,
      code: "SESSION_BUSY",
    },
    "store-down": {
      ...fromPlatform,
      errorType: "internal_error",
      message: "The execution could not be stored. Send the same request again.",
      retryable: true,
      code: "UNAVAILABLE",
    },
    stopping: {
      ...fromPlatform,
      message: "The service is stopping. Send the same request again.",
      retryable: true,
      code: "UNAVAILABLE",
    },
    "too-large": {
      ...fromPlatform,
      message: "The execution would grow beyond what can be stored; give it less to do at once.",
      retryable: false,
      code: "PAYLOAD_TOO_LARGE",
    },
  },
};

export const internalError: StreamError = {
  ...fromPlatform,
  errorType: "internal_error",
  message: "The execution failed unexpectedly; what follows the last persisted event is lost.",
  retryable: false,
  code: "INTERNAL",
};
