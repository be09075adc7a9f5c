/** Digits after the point of the smallest amount that is not taken for 0: far below the price of a token. */
const places = 12;

/** A JSON number that is not negative as a decimal number without an exponent. */
export function decimalOf(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toFixed(places).replace(/\.?0+$/, "");
}
