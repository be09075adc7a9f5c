import { findJsonProblem, isJsonObject, type JsonObject, type JsonValue, maxJsonDepth } from "./json.ts";

/** `problem` is a sentence without a subject: "must be …". */
export type JsonResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** Parses untrusted text into a value that can be walked, copied and stored safely. */
export function parseJson(text: string, maxDepth = maxJsonDepth): JsonResult<JsonValue> {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: "must be valid JSON" };
  }
  const problem = findJsonProblem(value, maxDepth);
  return problem === undefined ? { ok: true, value } : { ok: false, problem };
}

/** Parses untrusted text that must contain an object. */
export function parseJsonObject(text: string, maxDepth = maxJsonDepth): JsonResult<JsonObject> {
  const parsed = parseJson(text, maxDepth);
  if (!parsed.ok) return parsed;
  return isJsonObject(parsed.value)
    ? { ok: true, value: parsed.value }
    : { ok: false, problem: "must be a JSON object" };
}
