import { codeOfErrorType, publicCodes, streamErrorTypes } from "@muster/wire/error-codes";
import { internalProblem } from "./from-rpc.ts";
import { HttpProblem } from "./http-problem.ts";

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
