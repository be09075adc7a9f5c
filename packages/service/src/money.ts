// Amounts of money are decimals as text, without sign or exponent, and are computed as whole numbers of a small unit:
// floats never take part in a sum or comparison.

/** A price: units of 10^-12 USD for a million tokens, never negative. */
export type Price = bigint;

/** An amount of money: units of 10^-18 USD, which is a price times a number of tokens without a remainder. */
export type Amount = bigint;

const priceDigits = 12;
const amountDigits = 18;
/** More than any amount has that is added or compared. */
const unitDigits = 24;
const plain = new RegExp(`^\\d+(\\.\\d{1,${priceDigits}})?$`);
const decimal = /^(?<whole>\d{1,9})(?:\.(?<fraction>\d{1,12}))?$/;

/**
 * A published price. Twelve decimals keep every real price and cut off floating-point noise (0.15000000000000002).
 * Throws RangeError if the number is not a price.
 */
export function priceOfNumber(usd: number): Price {
  if (!(usd >= 0 && usd < 1e9)) throw new RangeError(`${usd} is not a price`);
  return BigInt(usd.toFixed(priceDigits).replace(".", ""));
}

/** Undefined unless the text is a decimal without sign and exponent, of at most 9 digits before and 12 after the point. */
export function priceOfText(text: string): Price | undefined {
  const { whole, fraction = "" } = decimal.exec(text)?.groups ?? {};
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(priceDigits, "0"));
}

/** The cost of `tokens`. A price is for a million tokens; the difference of the two units cancels that out. */
export function amountOf(price: Price, tokens: bigint): Amount {
  return price * tokens;
}

/** Canonical form: digits, a point only before a fraction, no trailing zeros, no exponent. `3`, `0.15`, `0`. */
export function priceText(price: Price): string {
  return decimalText(price, priceDigits);
}

/** In the same form as `priceText`, to the last digit. */
export function amountText(amount: Amount): string {
  return decimalText(amount, amountDigits);
}

/** A JSON number that is not negative as a decimal, rounded to the twelve digits after the point that the services accept. */
export function decimalOf(value: number): string {
  const text = String(value);
  return plain.test(text) ? text : value.toFixed(priceDigits).replace(/\.?0+$/, "");
}

/** The exact sum of two decimals, such as `0.15`, without trailing zeros. */
export function addDecimals(a: string, b: string): string {
  // Most fees of the platform, and all of local models.
  if (a === "0" && b === "0") return "0";
  return decimalText(unitsOf(a) + unitsOf(b), unitDigits);
}

/** The exact difference of two decimals. The first is at least the second. */
export function subtractDecimals(a: string, b: string): string {
  if (b === "0") return a;
  return decimalText(unitsOf(a) - unitsOf(b), unitDigits);
}

/** Whether a decimal is at least another one, to the last digit. */
export function isAtLeast(a: string, b: string): boolean {
  return unitsOf(a) >= unitsOf(b);
}

function unitsOf(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.slice(0, unitDigits).padEnd(unitDigits, "0"));
}

function decimalText(units: bigint, digits: number): string {
  if (units === 0n) return "0";
  const text = units.toString().padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0+$/, "");
  return fraction === "" ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`;
}
