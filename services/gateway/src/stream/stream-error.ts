import type { StreamError } from "@muster/error-codes";
import type { HttpProblem } from "../errors/http-problem.ts";

/**
 * The `error` event for a failure of the platform itself or of the reader's credential, not of a model or a tool.
 * `lastSequence`: the number after which the reader can continue.
 */
export function streamErrorOf({ code, message, status }: HttpProblem, lastSequence?: number): StreamError {
  return {
    type: "error",
    ...(code === "UNAUTHENTICATED"
      ? { errorType: "authentication_error", source: "client" }
      : { errorType: "internal_error", source: "platform" }),
    message,
    retryable: status === 503 || status === 504,
    code,
    ...(lastSequence !== undefined && { lastSequence }),
  };
}
