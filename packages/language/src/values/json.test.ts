import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { equalJson, isJsonValue, type JsonValue, maxJsonDepth, parseJson, parseJsonObject } from "./json.ts";

test("values are equal in any order of keys, and unequal if anything else differs", () => {
  const values: JsonValue[] = [
    null,
    0,
    false,
    "",
    "0",
    [],
    {},
    [1, 2],
    [2, 1],
    [1],
    { a: 1 },
    { a: 2 },
    { b: 1 },
    { a: 1, b: [] },
    { 0: 1, 1: 2 },
  ];
  for (const [i, left] of values.entries())
    for (const [j, right] of values.entries()) assert.equal(equalJson(left, right), i === j, `${i} ${j}`);
  assert.ok(equalJson({ a: 1, b: { c: [1, { d: null }] } }, { b: { c: [1, { d: null }] }, a: 1 }));
});

test("only plain JSON of limited depth and without prototype keys is accepted as JSON", () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  assert.ok(isJsonValue(deep(maxJsonDepth)));
  for (const value of [
    deep(maxJsonDepth + 1),
    undefined,
    Number.NaN,
    1n,
    () => 1,
    [undefined],
    JSON.parse('{"__proto__":1}'),
  ])
    assert.ok(!isJsonValue(value));
});

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

describe("parseJson", () => {
  test("parseJson reads the output of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const parsed = parseJson(JSON.stringify(value));
        if (parsed.ok) assert.deepEqual(parsed.value, JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("parseJson rejects prototype keys at any depth and in any spelling", () => {
    for (const key of ["__proto__", "constructor", "\\u005f_proto__"]) {
      assert.equal(parseJson(`{"${key}":1}`).ok, false);
      assert.equal(parseJson(`[{"a":{"${key}":{}}}]`).ok, false);
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test("parseJson limits the depth without running out of stack", () => {
    assert.equal(parseJson(nested(maxJsonDepth)).ok, true);
    assert.equal(parseJson(nested(maxJsonDepth + 1)).ok, false);
    assert.equal(parseJson(nested(1_000_000)).ok, false);
  });

  test("parseJson rejects other values where an object is needed", () => {
    for (const text of ["[]", "null", "1", '"a"', "", "{"]) assert.equal(parseJsonObject(text).ok, false);
    assert.deepEqual(parseJsonObject('{"a":1}'), { ok: true, value: { a: 1 } });
  });
});
