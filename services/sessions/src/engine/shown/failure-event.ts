import type { StreamError, StreamErrorType } from "@muster/error-codes";
import type { ModelFailure } from "@muster/models";

export function modelFailureEvent(failure: ModelFailure): StreamError {
  const { errorType, message, source, retryable, retryAfterMs, provider } = failure;
  return {
    type: "error",
    errorType,
    message,
    source,
    retryable,
    ...(retryAfterMs !== undefined && { retryAfter: Math.ceil(retryAfterMs / 1000) }),
    provider,
  };
}

/** The definition, or what a variable holds, cannot be run; or the model's answer cannot be used. */
export function problemEvent(errorType: StreamErrorType, message: string): StreamError {
  return {
    type: "error",
    errorType,
    message,
    source: "platform",
    retryable: errorType === "execution_error",
  };
}

/** In the middle of a turn; at its beginning the trigger is refused. */
export const promptTooLargeEvent: StreamError = {
  type: "error",
  errorType: "execution_error",
  message: "A prompt of the agent has become too large with the values that were filled in.",
  source: "platform",
  retryable: false,
  code: "PAYLOAD_TOO_LARGE",
};
