import assert from "node:assert/strict";
import { test } from "vitest";
import { equalJson, isJsonValue, type JsonValue, maxJsonDepth } from "./json.ts";

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
