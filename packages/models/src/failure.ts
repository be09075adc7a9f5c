import type { PublicCode, StreamErrorType } from "@muster/wire/error-codes";

/** The provider behind a failure, as far as users may see it. */
export interface FailedProvider {
  /** First part of the model id: `openai`, `aggregator`, `local`, … */
  name: string;
  model?: string;
  /** HTTP status of the provider's response. */
  statusCode?: number;
  /** The provider's own name for the failure, such as `overloaded_error`. */
  errorType?: string;
  /** The provider's request id, for its support. */
  requestId?: string;
}

export interface ModelFailureDetails {
  message: string;
  /** The part of `message` that contains none of the provider's words. Default: the whole message. */
  summary?: string;
  errorType: StreamErrorType;
  /** The code of a response that is not a stream. Default: follows from `errorType`. */
  code?: PublicCode;
  source: "provider" | "platform" | "client";
  /** The same call may succeed later. */
  retryable: boolean;
  retryAfterMs?: number;
  /** The provider is at fault, not the request, so another model may succeed: use the backup model. */
  transient: boolean;
  /** The provider refused the length of the conversation: a shorter one may succeed. Default: false. */
  isTooLong?: boolean;
  provider: FailedProvider;
  /**
   * The provider's own words about a failure that is not about the request, with hosts and addresses but without keys.
   * For logs only. Absent if the words may repeat the conversation.
   */
  said?: string;
  /** Names and codes of the original error and its causes, without their messages. For logs only. */
  thrown?: string;
  /** The original error, including details that a user must not see. For logs only. */
  cause?: unknown;
}

/** A model call failed. `message` and all fields but `said`, `thrown` and `cause` are safe to show to users. */
export class ModelFailure extends Error {
  readonly summary: string;
  readonly errorType: StreamErrorType;
  readonly code?: PublicCode;
  readonly source: "provider" | "platform" | "client";
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly transient: boolean;
  readonly isTooLong: boolean;
  readonly provider: FailedProvider;
  readonly said?: string;
  readonly thrown?: string;

  constructor(details: ModelFailureDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "ModelFailure";
    this.summary = details.summary ?? details.message;
    this.errorType = details.errorType;
    if (details.code !== undefined) this.code = details.code;
    this.source = details.source;
    this.retryable = details.retryable;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    this.transient = details.transient;
    this.isTooLong = details.isTooLong ?? false;
    this.provider = details.provider;
    if (details.said !== undefined) this.said = details.said;
    if (details.thrown !== undefined) this.thrown = details.thrown;
  }
}
