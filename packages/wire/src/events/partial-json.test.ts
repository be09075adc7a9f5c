import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue } from "@muster/language";
import fc from "fast-check";
import { test } from "vitest";
import { parseObjectText, parsePartialJson } from "./partial-json.ts";

const examples: [string, JsonValue | undefined][] = [
  ["", undefined],
  ["no JSON", undefined],
  ["{", {}],
  ['{"na', {}],
  ['{"name"', {}],
  ['{"name":', {}],
  ['{"name":"Ad', { name: "Ad" }],
  ['{"name":"Ada","age":3', { name: "Ada", age: 3 }],
  ['{"name":"Ada","age":-', { name: "Ada" }],
  ['{"done":tru', {}],
  ['{"list":[1,', { list: [1] }],
  ['{"list":[{"a":1},{', { list: [{ a: 1 }, {}] }],
  ['{"text":"a\\', { text: "a" }],
  ['{"text":"a\\\\', { text: "a\\" }],
  ['{"text":"a\\u00', { text: "a" }],
  ['{"text":"\\ud83d', { text: "" }],
  ['{"text":"a}],{', { text: "a}],{" }],
  ['```json\n{"a":1,"b', { a: 1 }],
  ['```json\n{"a":1}\n```', { a: 1 }],
  ['{"__proto__":{"x":1},"a', undefined],
];
for (const [text, value] of examples) {
  test(`the beginning ${JSON.stringify(text)} reads as ${JSON.stringify(value)}`, () => {
    assert.deepEqual(parsePartialJson(text), value);
  });
}

const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => parseObjectText(JSON.stringify(value)).ok);

test("of an object or a list, every beginning reads as a beginning of the value", () => {
  const cut = fc.tuple(json, fc.double({ min: 0, max: 1, noNaN: true }));
  const property = fc.property(cut, ([value, share]) => {
    const text = JSON.stringify(value);
    const whole = parseObjectText(text);
    assert.ok(whole.ok);
    if (whole.value === null || typeof whole.value !== "object") return;
    const read = parsePartialJson(text.slice(0, 1 + Math.floor(share * (text.length - 1))));
    assert.ok(read !== undefined && isBeginning(read, whole.value), `${JSON.stringify(read)} of ${text}`);
  });
  fc.assert(property, { numRuns: 2_000 });
});

/** The last string or number may be shorter, and later members and items absent. */
function isBeginning(part: JsonValue, whole: JsonValue): boolean {
  if (typeof part === "string" && typeof whole === "string") return whole.startsWith(part);
  if (typeof part === "number" && typeof whole === "number") return true;
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.every((item, index) => isBeginning(item, whole[index] ?? null));
  }
  if (isJsonObject(part)) {
    if (!isJsonObject(whole)) return false;
    return Object.entries(part).every(([key, item]) => isBeginning(item, whole[key] ?? null));
  }
  return isDeepStrictEqual(part, whole);
}
