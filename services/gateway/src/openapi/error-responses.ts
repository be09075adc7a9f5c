import { meaningOfCode, type PublicCode, statusOfCode } from "@muster/error-codes";
import { errorBody } from "../schemas/common.ts";
import { headersOf } from "./headers.ts";

/** The responses for error codes, by status, with the codes that each can have. */
export function errorResponses(codes: Iterable<PublicCode>) {
  const sorted = [...codes].sort((a, b) => statusOfCode[a] - statusOfCode[b]);
  const byStatus = Map.groupBy(sorted, (code) => statusOfCode[code]);
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, errorResponse(status, same)]));
}

function errorResponse(status: number, codes: readonly PublicCode[]) {
  const narrowed = {
    type: "object",
    properties: { code: { type: "string", enum: codes } },
    required: ["code"],
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOfCode[code]}`).join("\n\n"),
    headers: headersOf(status, codes.includes("IDEMPOTENCY_KEY_IN_PROGRESS") ? ["Retry-After"] : []),
    content: { "application/json": { schema: { allOf: [errorBody, narrowed] } } },
  };
}
