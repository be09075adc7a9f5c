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
  /** Absent for failures that have no HTTP error code, such as those of a provider. */
  code?: PublicCode;
  provider?: { name: string; model?: string; statusCode?: number; errorType?: string; requestId?: string };
  tool?: { name: string; callId?: string };
  /** Only if the response ended early and the turn can be read on: the number to continue after. */
  lastSequence?: number;
}
