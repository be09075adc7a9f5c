import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { anyNumber, anyValue } from "../../test/support/arbitrary.ts";
import { compareValues } from "./compare.ts";
import { encodeKey, invert, prefixEnd } from "./key-encoding.ts";
import type { Value } from "./value.ts";

const check = (values: fc.Arbitrary<Value>, runs: number) =>
  fc.assert(
    fc.property(values, values, (a, b) => {
      const order = Math.sign(compareValues(a, b));
      assert.equal(Buffer.compare(encodeKey(a), encodeKey(b)), order);
      assert.equal(Buffer.compare(invert(encodeKey(a)), invert(encodeKey(b))), -order || 0);
    }),
    { numRuns: runs },
  );

test("encoded keys sort like their values, and inverted keys in reverse", () => check(anyValue, 2000));

test("encoded numbers of all types share one exact order", () => check(anyNumber, 5000));

test("no encoded key is a prefix of another one", () => {
  fc.assert(
    fc.property(anyValue, anyValue, (a, b) => {
      const [x, y] = [encodeKey(a), encodeKey(b)];
      assert.ok(x.equals(y) || !y.subarray(0, x.length).equals(x));
    }),
    { numRuns: 2000 },
  );
});

test("the end of a key prefix sorts after every key with that prefix and before the next key", () => {
  assert.deepEqual(prefixEnd(Buffer.from([1, 2])), Buffer.from([1, 3]));
  assert.deepEqual(prefixEnd(Buffer.from([1, 255, 255])), Buffer.from([2]));
  fc.assert(
    fc.property(anyValue, anyValue, (a, b) => {
      const end = prefixEnd(encodeKey(a));
      assert.equal(Buffer.compare(encodeKey(b), end) < 0, compareValues(b, a) <= 0);
    }),
    { numRuns: 2000 },
  );
});
