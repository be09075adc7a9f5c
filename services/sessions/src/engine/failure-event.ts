import type { ModelFailure } from "@muster/models";
import type { ErrorEvent, ErrorType } from "./events.ts";

export function modelFailureEvent(failure: ModelFailure): ErrorEvent {
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
export function problemEvent(errorType: ErrorType, message: string): ErrorEvent {
  return {
    type: "error",
    errorType,
    message,
    source: "platform",
    retryable: errorType === "execution_error",
  };
}
