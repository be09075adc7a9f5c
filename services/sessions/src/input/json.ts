import type { JsonObject, JsonValue } from "@muster/protocol";
import { forbiddenKeys, isObject, maxJsonDepth } from "../engine/json.ts";

export type JsonResult<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Parses text that somebody else wrote. `problem` is a sentence without a subject: "must be …". */
export function parseJson(text: string, maxDepth = maxJsonDepth): JsonResult<JsonValue> {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: "must be valid JSON" };
  }
  const problem = findProblem(value, maxDepth);
  return problem === undefined ? { ok: true, value } : { ok: false, problem };
}

export function parseJsonObject(text: string, maxDepth = maxJsonDepth): JsonResult<JsonObject> {
  const parsed = parseJson(text, maxDepth);
  if (!parsed.ok) return parsed;
  return isObject(parsed.value)
    ? { ok: true, value: parsed.value }
    : { ok: false, problem: "must be a JSON object" };
}

function findProblem(value: JsonValue, levels: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return "must not be nested so deeply";
  if (!isObject(value)) return firstProblem(value, levels);
  // `in`, not Object.keys: an object of many keys would be copied twice over just to be looked at.
  for (const key in value) {
    if (forbiddenKeys.has(key)) return `must not have the key ${key}`;
    const problem = findProblem(value[key] ?? null, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function firstProblem(items: readonly JsonValue[], levels: number): string | undefined {
  for (const item of items) {
    const problem = findProblem(item, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
