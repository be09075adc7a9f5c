import type { PublicCode } from "./public-codes.ts";

/** Every value of `errorType` in an `error` event of a stream. */
export const streamErrorTypes = [
  "authentication_error",
  "permission_error",
  "validation_error",
  "not_found_error",
  "rate_limit_error",
  "quota_exceeded_error",
  "provider_error",
  "provider_overloaded",
  "provider_timeout",
  "execution_error",
  "tool_error",
  "protocol_error",
  "internal_error",
  "unknown_error",
] as const;

export type StreamErrorType = (typeof streamErrorTypes)[number];

/**
 * The code of a failure that has none of its own. A model provider that refuses the operator's key or the platform's request says
 * nothing about the caller's credential or request, so the code is `UPSTREAM`.
 */
export const codeOfErrorType: Readonly<Record<StreamErrorType, PublicCode>> = {
  authentication_error: "UPSTREAM",
  permission_error: "UPSTREAM",
  validation_error: "UPSTREAM",
  not_found_error: "MODEL_NOT_RUNNABLE",
  rate_limit_error: "RATE_LIMITED",
  quota_exceeded_error: "UPSTREAM",
  provider_error: "UPSTREAM",
  provider_overloaded: "UNAVAILABLE",
  provider_timeout: "TIMEOUT",
  execution_error: "INTERNAL",
  tool_error: "UPSTREAM",
  protocol_error: "INVALID_DEFINITION",
  internal_error: "INTERNAL",
  unknown_error: "INTERNAL",
};

/** The `error` event of a stream. */
export interface StreamError {
  type: "error";
  errorType: StreamErrorType;
  /** One sentence for users. */
  message: string;
  source: "platform" | "provider" | "tool" | "client";
  retryable: boolean;
  /** Seconds. */
  retryAfter?: number;
  /** The code that a response instead of a stream would have. Absent for failures that follow from `errorType` alone. */
  code?: PublicCode;
  provider?: { name: string; model?: string; statusCode?: number; errorType?: string; requestId?: string };
  tool?: { name: string; callId?: string };
  /** Only if the response ended early and the turn can be read on: the number to continue after. */
  lastSequence?: number;
}
