/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema (draft 2020-12) as data. The compiler generates only small ones without patterns. */
export type JsonSchema = JsonObject;

/** Deeper values are refused, so that no recursion over a value can exhaust the stack. */
export const maxJsonDepth = 64;

/**
 * Keys that would reach the prototype of an object if copied carelessly. They are refused in all external input:
 * request bodies, tool arguments and definitions. `prototype` is not among them: only functions have one, and
 * functions can only be reached through `constructor`.
 */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

/** Whether a value is plain JSON, at most `maxJsonDepth` deep and without forbidden keys. */
export function isJsonValue(value: unknown): value is JsonValue {
  return findJsonProblem(value) === undefined;
}

/** Why a value is not acceptable as JSON, as a sentence without a subject: "must not …". */
export function findJsonProblem(value: unknown, maxDepth = maxJsonDepth): string | undefined {
  return findProblem(value, 0, maxDepth);
}

function findProblem(value: unknown, depth: number, maxDepth: number): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "must be a finite number";
  if (typeof value !== "object") return "must be JSON";
  if (depth === maxDepth) return `must not be nested more than ${maxDepth} levels deep`;
  return Array.isArray(value)
    ? findInItems(value, depth + 1, maxDepth)
    : findInFields(value, depth + 1, maxDepth);
}

function findInItems(items: readonly unknown[], depth: number, maxDepth: number): string | undefined {
  for (const item of items) {
    const problem = findProblem(item, depth, maxDepth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findInFields(fields: object, depth: number, maxDepth: number): string | undefined {
  // `in`, not Object.entries: an object with many keys would be copied just to be checked.
  for (const key in fields) {
    if (forbiddenKeys.has(key)) return `must not have the key ${key}`;
    const problem = findProblem(Reflect.get(fields, key), depth, maxDepth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether a value is an object and not an array. Its properties are not checked. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isPlainObject(value);
}

/** Compares two JSON values; the order of keys does not matter. */
export function equalJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  const [a, b] = [Object.entries(left), new Map(Object.entries(right))];
  if (Array.isArray(left) !== Array.isArray(right) || a.length !== b.size) return false;
  return a.every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && equalJson(value, other);
  });
}

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
