import { badRequest } from "../errors/from-any.ts";
import { HttpProblem } from "../errors/http-problem.ts";
import { findBadValue } from "./find-bad-value.ts";
import { JsonRefusal, JsonTooLarge, scanJson } from "./scan-json.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The only judge of request bodies; `BodyReader` calls it, on another thread for large ones. It is strict where common parsers are lenient: invalid UTF-8, duplicate keys and
 * prototype keys are INVALID_JSON; NUL, broken surrogates and numbers out of range INVALID_REQUEST; too many values
 * or levels PAYLOAD_TOO_LARGE. An empty body is `undefined`, so that routes without a body accept it.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  const text = decodeBody(bytes);
  const value = parse(text);
  const bad = findBadValue(text, value);
  if (bad) throw badRequest("body", [bad]);
  return value;
}

/** Throws INVALID_JSON unless the bytes are UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HttpProblem("INVALID_JSON", "The body must be UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    scanJson(text);
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the body; this one must not.
    const problem = error instanceof JsonRefusal ? error.message : "is not valid JSON";
    const code = error instanceof JsonTooLarge ? "PAYLOAD_TOO_LARGE" : "INVALID_JSON";
    throw new HttpProblem(code, `The body ${problem}.`);
  }
}
