import type { StreamError } from "@muster/error-codes";
import type { HttpProblem } from "../errors/http-problem.ts";

/** The `error` event for a failure of the platform itself, not of a model or a tool. */
export function streamErrorOf({ code, message, status }: HttpProblem): StreamError {
  return {
    type: "error",
    errorType: "internal_error",
    message,
    source: "platform",
    retryable: status === 503 || status === 504,
    code,
  };
}
