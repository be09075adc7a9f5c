import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { addDecimals } from "./decimal.ts";

test("sums of decimals are exact where floats are not", () => {
  assert.equal(addDecimals("0.1", "0.2"), "0.3");
  assert.equal(
    addDecimals("0.000000000000000001", "9007199254740993"),
    "9007199254740993.000000000000000001",
  );
  assert.equal(addDecimals("0.15", "0.85"), "1");
  assert.equal(addDecimals("0", "0"), "0");
});

test("a sum of decimals equals the sum of their smallest units", () => {
  const units = fc.bigInt({ min: 0n, max: 10n ** 24n });
  const text = (amount: bigint) => {
    const digits = amount.toString().padStart(19, "0");
    return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, "");
  };
  fc.assert(fc.property(units, units, (a, b) => assert.equal(addDecimals(text(a), text(b)), text(a + b))));
});
