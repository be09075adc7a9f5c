import type { StreamError } from "@muster/wire/error-codes";
import type { HttpProblem } from "../edge/errors/http-problem.ts";

type Kind = Pick<StreamError, "errorType" | "source">;

/** Refusals reach a stream only if it had to be opened before them. Everything else is a failure of the platform. */
const kindOfStatus: Readonly<Record<number, Kind>> = {
  400: { errorType: "validation_error", source: "client" },
  401: { errorType: "authentication_error", source: "client" },
  402: { errorType: "quota_exceeded_error", source: "client" },
  403: { errorType: "permission_error", source: "client" },
  404: { errorType: "not_found_error", source: "client" },
  409: { errorType: "validation_error", source: "client" },
  422: { errorType: "validation_error", source: "client" },
  429: { errorType: "rate_limit_error", source: "platform" },
};

/**
 * The `error` event for a failure of the platform itself, of the reader's credential or of the request, not of a model or a
 * tool. `lastSequence`: the number after which the reader can continue.
 */
export function streamErrorOf(problem: HttpProblem, lastSequence?: number): StreamError {
  const { code, message, status, headers } = problem;
  const retryAfter = Number(headers["retry-after"]);
  return {
    type: "error",
    ...(kindOfStatus[status] ?? { errorType: "internal_error", source: "platform" }),
    message,
    retryable: status === 429 || status === 503 || status === 504,
    ...(status === 429 && retryAfter > 0 && { retryAfter }),
    code,
    ...(lastSequence !== undefined && { lastSequence }),
  };
}
