import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { amountOf, amountText, priceOfNumber, priceOfText, priceText } from "./decimal.ts";

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
