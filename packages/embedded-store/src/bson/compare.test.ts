import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { anyValue } from "../../test/support/arbitrary.ts";
import { compareText, compareValues } from "./compare.ts";
import { doc, toValue } from "./plain.ts";
import { T } from "./types.ts";
import { double, int32, int64, type Value } from "./value.ts";

test("values sort by type in MongoDB's order", () => {
  const ordered: Value[] = [
    { type: T.minKey, value: null },
    toValue(null),
    toValue(7),
    toValue("text"),
    toValue({ a: 1 }),
    toValue([1]),
    { type: T.binary, value: { subtype: 0, bytes: Buffer.from("x") } },
    { type: T.objectId, value: Buffer.alloc(12) },
    toValue(false),
    { type: T.date, value: 0n },
    { type: T.timestamp, value: 0n },
    { type: T.regex, value: { pattern: "a", flags: "" } },
    { type: T.maxKey, value: null },
  ];
  for (const [i, value] of ordered.entries()) {
    for (const [j, other] of ordered.entries()) {
      assert.equal(
        Math.sign(compareValues(value, other)),
        Math.sign(i - j),
        `${value.type} and ${other.type}`,
      );
    }
  }
});

test("numbers compare by value across their types, exactly", () => {
  assert.equal(compareValues(int32(1), double(1)), 0);
  assert.equal(compareValues(int64(1n), int32(1)), 0);
  assert.equal(compareValues(int64(2n ** 53n + 1n), double(2 ** 53)), 1);
  assert.equal(compareValues(int64(2n ** 63n - 1n), double(2 ** 63)), -1);
  assert.equal(compareValues(double(Number.NaN), double(-Infinity)), -1);
  assert.equal(compareValues(double(Number.NaN), double(Number.NaN)), 0);
  assert.equal(compareValues(double(-0), int32(0)), 0);
});

test("a missing value counts as null", () => {
  assert.equal(compareValues(undefined, toValue(null)), 0);
});

test("documents differ by the order of their fields", () => {
  assert.notEqual(compareValues(toValue({ a: 1, b: 2 }), toValue({ b: 2, a: 1 })), 0);
  assert.equal(compareValues(toValue(doc({ a: 1 })), toValue(doc({ a: double(1) }))), 0);
});

test("text compares by its UTF-8 bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      assert.equal(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test("the order of values is antisymmetric and transitive", () => {
  fc.assert(
    fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
      assert.equal(Math.sign(compareValues(a, b)), -Math.sign(compareValues(b, a)) || 0);
      if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0) assert.ok(compareValues(a, c) <= 0);
    }),
    { numRuns: 200 * Number(process.env.LONG_RUN ?? 1) },
  );
});
