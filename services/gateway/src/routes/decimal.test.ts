import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { decimalOf } from "./decimal.ts";

test("an amount becomes a decimal number without an exponent, with at most twelve digits after the point", () => {
  const cases: Array<[number, string]> = [
    [0, "0"],
    [-0, "0"],
    [25, "25"],
    [100, "100"],
    [0.1, "0.1"],
    [0.1 + 0.2, "0.3"],
    [1e-7, "0.0000001"],
    [2.5e-9, "0.0000000025"],
    [1e-30, "0"],
    [999_999_999, "999999999"],
  ];
  for (const [value, text] of cases) assert.equal(decimalOf(value), text);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 999_999_999, noNaN: true }), (value) => {
      const text = decimalOf(value);
      assert.match(text, /^\d{1,9}(\.\d{1,12})?$/);
      assert.ok(Math.abs(Number(text) - value) <= 1e-12, text);
    }),
  );
});
