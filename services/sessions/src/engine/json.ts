import type { JsonObject, JsonValue } from "@muster/protocol";

/** Deeper values are refused: nothing that walks a value may run out of stack. */
export const maxJsonDepth = 64;

export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

/** Tells whether a value is JSON that can be stored and walked safely: bounded depth, no prototype keys. */
export function isSafeJson(value: unknown, depth = 0): value is JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth >= maxJsonDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isSafeJson(item, depth + 1));
  return Object.entries(value).every(([key, item]) => !forbiddenKeys.has(key) && isSafeJson(item, depth + 1));
}

/** Undefined for text that is not JSON, or not safe. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isSafeJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
