import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { decimalOf } from "./decimal.ts";

test("an amount becomes a decimal number of the same value, without an exponent", () => {
  const cases: Array<[number, string]> = [
    [0, "0"],
    [-0, "0"],
    [25, "25"],
    [0.1, "0.1"],
    [1e-7, "0.0000001"],
    [2.5e-9, "0.0000000025"],
    [1e-30, "0"],
    [1e9, "1000000000"],
  ];
  for (const [value, text] of cases) assert.equal(decimalOf(value), text);
  fc.assert(
    fc.property(fc.double({ min: 1e-5, max: 1e9, noNaN: true }), (value) => {
      const text = decimalOf(value);
      assert.match(text, /^\d+(\.\d+)?$/);
      assert.equal(Number(text), value);
    }),
  );
});
