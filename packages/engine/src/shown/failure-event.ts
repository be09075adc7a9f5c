import type { ModelFailure } from "@muster/models";
import { codeOfErrorType, type StreamError, type StreamErrorType } from "@muster/wire/error-codes";

export function modelFailureEvent(failure: ModelFailure): StreamError {
  const {
    errorType,
    code = codeOfErrorType[errorType],
    message,
    source,
    retryable,
    retryAfterMs,
    provider,
  } = failure;
  return {
    type: "error",
    errorType,
    message,
    source,
    retryable,
    ...(retryAfterMs !== undefined && { retryAfter: Math.ceil(retryAfterMs / 1000) }),
    code,
    provider,
  };
}

/** The definition or the value of a variable cannot be used, or the model's response is invalid. */
export function problemEvent(errorType: StreamErrorType, message: string): StreamError {
  return {
    type: "error",
    errorType,
    message,
    source: "platform",
    retryable: errorType === "execution_error",
  };
}

/** For the middle of a turn; at its beginning the trigger is refused instead. */
export const promptTooLargeEvent: StreamError = {
  type: "error",
  errorType: "execution_error",
  message: "One of the agent's prompts became too large when its values were filled in.",
  source: "platform",
  retryable: false,
  code: "PAYLOAD_TOO_LARGE",
};
