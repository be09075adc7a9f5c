import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { decimalText, isAtLeast } from "./decimals.ts";

const units = 10n ** 12n;
/** An amount in units of 10^-12, and its text with any number of zeros at the end. */
const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 21n }), fc.nat(6)).map(([value, zeros]) => {
  const fraction = (value % units).toString().padStart(12, "0").replace(/0+$/, "") + "0".repeat(zeros);
  return { value, text: fraction === "" ? `${value / units}` : `${value / units}.${fraction}` };
});

describe("amounts of money", () => {
  test("are compared to the last digit, however they are written", () => {
    const property = fc.property(amount, amount, (a, b) => {
      assert.equal(isAtLeast(a.text, b.text), a.value >= b.value, `${a.text} ${b.text}`);
      assert.ok(isAtLeast(a.text, a.text));
    });
    fc.assert(property, { numRuns: 2_000 });
    assert.ok(!isAtLeast("0.1", "0.100000000000000000001"));
    assert.ok(isAtLeast("0", "0.000"));
  });

  test("are shown without an exponent and without zeros at the end", () => {
    const rows: Array<[number, string]> = [
      [0, "0"],
      [1e-7, "0.0000001"],
      [0.1 + 0.2, "0.3"],
      [10, "10"],
      [1234.5, "1234.5"],
    ];
    for (const [value, text] of rows) assert.equal(decimalText(value), text);
  });
});
