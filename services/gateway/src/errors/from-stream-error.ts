import { type PublicCode, publicCodes, type StreamErrorType, streamErrorTypes } from "@muster/error-codes";
import { internalProblem } from "./from-rpc.ts";
import { HttpProblem } from "./http-problem.ts";

/**
 * The code of a response instead of a stream that ended with an error without a code of its own. Problems of a model
 * provider with the operator's key or with the request are none of the caller's credential or request.
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

/** The response for the JSON of an `error` event. */
export function problemFromStreamError(json: string): HttpProblem {
  const event: unknown = JSON.parse(json);
  if (typeof event !== "object" || event === null) {
    return internalProblem(new Error("an error event is not an object"));
  }
  const fields: Record<string, unknown> = { ...event };
  const type = streamErrorTypes.find((known) => known === fields.errorType) ?? "unknown_error";
  const code = publicCodes.find((known) => known === fields.code) ?? codeOfErrorType[type];
  return new HttpProblem(code, String(fields.message), {
    ...(typeof fields.retryAfter === "number" && { retryAfterMs: fields.retryAfter * 1_000 }),
    // For the log. The event's own message can repeat the conversation.
    cause: new Error(`the turn ended with an error event of the type ${type}`),
  });
}
