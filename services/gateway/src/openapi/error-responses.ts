import { meaningOfCode, type PublicCode, statusOfCode } from "@muster/wire/error-codes";
import { errorBody } from "../schemas/common.ts";
import { headersOf } from "./headers.ts";

/** Conflicts that pass by themselves. */
const waiting: readonly PublicCode[] = ["IDEMPOTENCY_KEY_IN_PROGRESS", "RECORDING_NOT_READY"];

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
    headers: headersOf(status, codes.some((code) => waiting.includes(code)) ? ["Retry-After"] : []),
    content: { "application/json": { schema: { allOf: [errorBody, narrowed] } } },
  };
}
