import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import {
  addDecimals,
  amountOf,
  amountText,
  decimalOf,
  isAtLeast,
  priceOfNumber,
  priceOfText,
  priceText,
} from "./money.ts";

describe("decimals", () => {
  const published: Array<[number, string]> = [
    [0, "0"],
    [3, "3"],
    [600, "600"],
    [0.15, "0.15"],
    [0.1 + 0.05, "0.15"],
    [1.5e-7, "0.00000015"],
    [0.08333333333333334, "0.083333333333"],
    [1e-13, "0"],
  ];
  for (const [usd, text] of published) {
    test(`a price of ${usd} is written as ${text}`, () => assert.equal(priceText(priceOfNumber(usd)), text));
  }

  test("a number that is not a price is refused", () => {
    for (const usd of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e9]) {
      assert.throws(() => priceOfNumber(usd), RangeError);
    }
    for (const text of [
      "",
      "-1",
      "+1",
      "1e3",
      ".5",
      "5.",
      "1,5",
      " 1",
      "0x1",
      "1_000",
      "1".repeat(10),
      "٣",
    ]) {
      assert.equal(priceOfText(text), undefined, text);
    }
  });

  test("a decimal is printed in canonical form and with the same value", () => {
    const digits = (min: number, max: number) =>
      fc
        .array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
        .map((list) => list.join(""));
    fc.assert(
      fc.property(digits(1, 9), digits(0, 12), (whole, fraction) => {
        const price = priceOfText(fraction === "" ? whole : `${whole}.${fraction}`);
        assert.ok(price !== undefined);
        const text = priceText(price);
        assert.match(text, /^(0|[1-9]\d*)(\.\d*[1-9])?$/);
        assert.equal(priceOfText(text), price);
      }),
    );
  });

  test("an amount is exact to the last digit, far beyond the precision of a float", () => {
    const price = priceOfText("123456789.123456789012") ?? 0n;
    assert.equal(
      amountText(amountOf(price, 9_007_199_254_740_991n)),
      "1111999898985515673.519501166594790892",
    );
    assert.equal(amountText(amountOf(priceOfText("0.000000000001") ?? 0n, 1n)), "0.000000000000000001");
  });
});

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

const units = 10n ** 12n;
/** An amount in units of 10^-12, and its text with any number of zeros at the end. */
const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 21n }), fc.nat(6)).map(([value, zeros]) => {
  const fraction = (value % units).toString().padStart(12, "0").replace(/0+$/, "") + "0".repeat(zeros);
  return { value, text: fraction === "" ? `${value / units}` : `${value / units}.${fraction}` };
});

test("amounts of money are compared to the last digit, however they are written", () => {
  const property = fc.property(amount, amount, (a, b) => {
    assert.equal(isAtLeast(a.text, b.text), a.value >= b.value, `${a.text} ${b.text}`);
    assert.ok(isAtLeast(a.text, a.text));
  });
  fc.assert(property, { numRuns: 2_000 });
  assert.ok(!isAtLeast("0.1", "0.100000000000000000001"));
  assert.ok(isAtLeast("0", "0.000"));
});
