import type { LimitReached } from "@muster/rpc";
import type { StreamError } from "@muster/wire/error-codes";
import type { Persistence } from "./once-there-is-space.ts";

/** Why an execution is stopped early. */
export type StopCause =
  /** The caller disconnected. */
  | "disconnected"
  /** CancelExecution. */
  | "cancelled"
  /** ClearSession: the session no longer accepts writes. */
  | "cleared"
  /** Another instance took the session: this one may no longer write. */
  | "lost"
  /** A write failed, or the lease could not be renewed in time. */
  | "store-down"
  /** A write failed because the disk is full. */
  | "storage-full"
  /** The conversation has become too large to store. */
  | "too-large"
  /** The service is stopping. */
  | "stopping"
  /** Process after process has died in the same step. */
  | "adopted-too-often"
  /** The execution, the workforce agent, the key or the project has used what it may use in a month. */
  | LimitReached;

/** False if the session no longer belongs to this execution. */
export function mayStillWrite(cause: StopCause): boolean {
  return cause !== "cleared" && cause !== "lost";
}

/** The error that ends the stream; undefined if the stop was requested. */
export function errorAfter(cause: StopCause, keeps: Persistence["keeps"]): StreamError | undefined {
  return errors[keeps][cause];
}

const fromPlatform = { type: "error", errorType: "execution_error", source: "platform" } as const;

const diedTooOften: StreamError = {
  ...fromPlatform,
  message:
    "The processes that ran this turn died one after another in the same step; its earlier steps are kept. " +
    "Continue with a new message.",
  retryable: false,
  code: "INTERNAL",
};

const limitReached = {
  type: "error",
  errorType: "quota_exceeded_error",
  source: "platform",
  retryable: false,
} as const;

const limits: Record<LimitReached, StreamError> = {
  "spending-limit": {
    ...limitReached,
    message:
      "The spending limit of this month is reached, or that of the execution (maxUsd); the output so far is kept. Raise the " +
      "limit of the agent, the key, the subject or the project, or maxUsd.",
    code: "SPENDING_LIMIT",
  },
  "usage-limit": {
    ...limitReached,
    message:
      "The token limit of this month is reached; the output so far is kept. Raise the limit of the agent, the key or the project.",
    code: "USAGE_LIMIT",
  },
};

const storageFull: StreamError = {
  ...fromPlatform,
  errorType: "internal_error",
  message:
    "The disk of the platform is full; everything after the last persisted event is lost. Delete data, " +
    "or ask the operator to free space; then try again.",
  retryable: true,
  code: "STORAGE_FULL",
};

const errors: Record<Persistence["keeps"], Record<StopCause, StreamError | undefined>> = {
  conversation: {
    disconnected: undefined,
    cancelled: undefined,
    cleared: {
      ...fromPlatform,
      message: "The session was cleared while it was running; create or restore a session to continue.",
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
        "The conversation could not be stored; everything after the last persisted event is lost. Try again.",
      retryable: true,
      code: "UNAVAILABLE",
    },
    "storage-full": storageFull,
    stopping: {
      ...fromPlatform,
      message: "The service is stopping; the output so far is kept. Try again.",
      retryable: true,
      code: "UNAVAILABLE",
    },
    "too-large": {
      ...fromPlatform,
      message:
        "The session would become too large to store; everything after the last persisted event is lost. " +
        "Roll it back or create a new one.",
      retryable: false,
      code: "PAYLOAD_TOO_LARGE",
    },
    "adopted-too-often": diedTooOften,
    ...limits,
  },
  pauses: {
    disconnected: undefined,
    cancelled: undefined,
    cleared: {
      ...fromPlatform,
      message: "The execution expired while it was running; start another one.",
      retryable: false,
      code: "NOT_FOUND",
    },
    lost: {
      ...fromPlatform,
      message: "The same request was sent again and has taken over this execution.",
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
    "storage-full": storageFull,
    stopping: {
      ...fromPlatform,
      message: "The service is stopping. Send the same request again.",
      retryable: true,
      code: "UNAVAILABLE",
    },
    "too-large": {
      ...fromPlatform,
      message: "The execution would become too large to store; give it less work at once.",
      retryable: false,
      code: "PAYLOAD_TOO_LARGE",
    },
    "adopted-too-often": diedTooOften,
    ...limits,
  },
};

export const internalError: StreamError = {
  ...fromPlatform,
  errorType: "internal_error",
  message: "The execution failed unexpectedly; everything after the last persisted event is lost.",
  retryable: false,
  code: "INTERNAL",
};
