/** Anything that JSON can say. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema (draft 2020-12) as data. The compiler only makes small, regex-free ones. */
export type JsonSchema = JsonObject;

/** Deeper values are refused: nothing that walks a value may run out of stack. */
export const maxJsonDepth = 64;

/** Keys that would reach an object's prototype when copied carelessly. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Tells whether a value is plain JSON, at most `maxJsonDepth` deep and without prototype keys. */
export function isJsonValue(value: unknown, depth = 0): value is JsonValue {
  if (value === null) return true;
  if (typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth >= maxJsonDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isJsonValue(item, depth + 1));
  return Object.entries(value).every(
    ([key, item]) => !forbiddenKeys.has(key) && isJsonValue(item, depth + 1),
  );
}

/** Tells whether a value is a JSON object by its outside; the properties are not looked at. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
