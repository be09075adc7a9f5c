import { Code } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import { type RpcFailure, readRpcError } from "@muster/rpc";
import type { PublicCode } from "@muster/wire/error-codes";
import { HttpProblem } from "./http-problem.ts";

/** The public code of each reason of a service. A new reason does not compile until it has a row. */
export const codeOfReason: Readonly<Record<Exclude<KnownReason, InternalReason>, PublicCode>> = {
  [Reason.INVALID_REQUEST]: "INVALID_REQUEST",
  [Reason.INVALID_INPUT]: "INVALID_INPUT",
  [Reason.INVALID_DEFINITION]: "INVALID_DEFINITION",
  [Reason.UNKNOWN_TRIGGER]: "UNKNOWN_TRIGGER",
  [Reason.UNKNOWN_TOOL_CALL]: "UNKNOWN_TOOL_CALL",
  [Reason.UNKNOWN_MESSAGE]: "UNKNOWN_MESSAGE",
  [Reason.MODEL_NOT_RUNNABLE]: "MODEL_NOT_RUNNABLE",
  [Reason.UNAUTHENTICATED]: "UNAUTHENTICATED",
  [Reason.FORBIDDEN]: "FORBIDDEN",
  [Reason.NOT_FOUND]: "NOT_FOUND",
  [Reason.SLUG_TAKEN]: "SLUG_TAKEN",
  [Reason.SESSION_EXPIRED]: "SESSION_EXPIRED",
  [Reason.SESSION_BUSY]: "SESSION_BUSY",
  [Reason.AGENT_ARCHIVED]: "AGENT_ARCHIVED",
  [Reason.VERSION_MISMATCH]: "VERSION_MISMATCH",
  [Reason.UNAVAILABLE]: "UNAVAILABLE",
  [Reason.TOO_LARGE]: "PAYLOAD_TOO_LARGE",
  [Reason.EVENTS_GONE]: "EVENTS_GONE",
  [Reason.INVALID_IDEMPOTENCY_KEY]: "INVALID_IDEMPOTENCY_KEY",
  [Reason.IDEMPOTENCY_KEY_REUSED]: "IDEMPOTENCY_KEY_REUSED",
  [Reason.IDEMPOTENCY_KEY_IN_PROGRESS]: "IDEMPOTENCY_KEY_IN_PROGRESS",
  [Reason.AGENT_BUSY]: "AGENT_BUSY",
  [Reason.AGENT_PAUSED]: "AGENT_PAUSED",
  [Reason.QUEUE_FULL]: "QUEUE_FULL",
  [Reason.CAPABILITY_NOT_DECLARED]: "CAPABILITY_NOT_DECLARED",
  [Reason.THREAD_CLOSED]: "THREAD_CLOSED",
  [Reason.APPROVAL_DECIDED]: "APPROVAL_DECIDED",
  [Reason.APPROVAL_EXPIRED]: "APPROVAL_EXPIRED",
  [Reason.TOOL_CALL_ANSWERED]: "TOOL_CALL_ANSWERED",
  [Reason.TOOL_CALL_CLOSED]: "TOOL_CALL_CLOSED",
  [Reason.COMPUTER_IN_USE]: "COMPUTER_IN_USE",
  [Reason.USAGE_LIMIT]: "USAGE_LIMIT",
  [Reason.SPENDING_LIMIT]: "SPENDING_LIMIT",
  [Reason.UNSUPPORTED_MEDIA_TYPE]: "UNSUPPORTED_MEDIA_TYPE",
  [Reason.STORAGE_FULL]: "STORAGE_FULL",
  [Reason.RATE_LIMITED]: "RATE_LIMITED",
  // The platform's own signature, not the client's credential.
  [Reason.PRINCIPAL_REFUSED]: "UNAVAILABLE",
  [Reason.PRINCIPAL_EXPIRED]: "UNAVAILABLE",
};

type KnownReason = (typeof Reason)[keyof typeof Reason];
/** Reasons among services. */
type InternalReason = typeof Reason.UNSPECIFIED | typeof Reason.STALE_DRIVER | typeof Reason.RECORDING_LOST;

/** For failures of the transport itself. Everything else is INTERNAL. */
const codeOfTransport: Partial<Record<Code, { code: PublicCode; message: string }>> = {
  [Code.Unavailable]: {
    code: "UNAVAILABLE",
    message: "A part of the platform cannot be reached. Try again.",
  },
  // A service of an earlier version, which an update is about to replace. It has done nothing.
  [Code.Unimplemented]: {
    code: "UNAVAILABLE",
    message:
      "A part of the platform runs an earlier version, which does not support this yet. Try again after its update.",
  },
  [Code.DeadlineExceeded]: { code: "TIMEOUT", message: "The platform did not respond in time. Try again." },
  [Code.ResourceExhausted]: {
    code: "PAYLOAD_TOO_LARGE",
    message: "The request or its response is too large. Send less at once.",
  },
};

/** The public form of a failed call. INTERNAL if there is nothing a client could act on. */
export function problemFromRpc(error: unknown): HttpProblem {
  const failure = readRpcError(error);
  const code = publicCode(failure);
  if (code) {
    const { issues, retryAfterMs, currentThreadId, message } = failure;
    return new HttpProblem(code, message, {
      issues,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(currentThreadId === undefined ? {} : { currentThreadId }),
      cause: error,
    });
  }
  const known = codeOfTransport[failure.code];
  return known ? new HttpProblem(known.code, known.message, { cause: error }) : internalProblem(error);
}

export function internalProblem(cause: unknown): HttpProblem {
  return new HttpProblem("INTERNAL", "The server failed. Try again, or report the requestId.", {
    cause,
  });
}

function publicCode({ reason }: RpcFailure): PublicCode | undefined {
  return isKnown(reason) ? codeOfReason[reason] : undefined;
}

function isKnown(reason: number): reason is keyof typeof codeOfReason {
  return Object.hasOwn(codeOfReason, reason);
}
