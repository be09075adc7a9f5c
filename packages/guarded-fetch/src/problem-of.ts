import { badResponse } from "./body.ts";
import { tooSlow } from "./deadline.ts";
import { FetchProblem } from "./fetch-problem.ts";
import { invalidRequest } from "./request.ts";

/** The error that a caller sees for anything thrown. */
export function problemOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof FetchProblem) return error;
  if (signal.aborted) return signal.reason;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(code)) return tooSlow(error);
  if (code === "UND_ERR_INVALID_ARG") return invalidRequest("The request cannot be sent.", error);
  if ((error instanceof Error && error.name === "HTTPParserError") || isBadHttp.test(code))
    return badResponse("The server does not speak HTTP correctly.", error);
  return new FetchProblem("unreachable", "The server cannot be reached.", { cause: error });
}

const isBadHttp = /^UND_ERR_(HEADERS_OVERFLOW|RES_|REQ_|RESPONSE)/;
