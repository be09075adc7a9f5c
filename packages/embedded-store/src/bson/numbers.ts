import { Decimal128 } from "bson";
import { T } from "./types.ts";
import type { NumberValue } from "./value.ts";

/** An exact number, `digits * 10 ** exponent`. */
interface Exact {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The double nearest to a number of any type. Exact for int32 and double. */
export function nearestDouble(number: NumberValue): number {
  if (number.type === T.decimal128) return Number(decimalText(number.value));
  return Number(number.value);
}

/** Compares numbers of any type by exact value; NaN equals itself and sorts before all others. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  const x = nearestDouble(a);
  const y = nearestDouble(b);
  if (x < y) return -1;
  if (x > y) return 1;
  if (x !== y) return (Number.isNaN(x) ? 0 : 1) - (Number.isNaN(y) ? 0 : 1);
  if (isPlain(a) && isPlain(b)) return 0;
  return compareExact(a, b, x);
}

function isPlain(number: NumberValue): boolean {
  return number.type === T.int32 || number.type === T.double;
}

// Both round to the same double; only exact arithmetic can determine the larger one.
function compareExact(a: NumberValue, b: NumberValue, nearest: number): number {
  if (Number.isNaN(nearest)) return 0;
  const x = exactOf(a);
  const y = exactOf(b);
  if (x === undefined || y === undefined) return infinityRank(x, nearest) - infinityRank(y, nearest);
  const sign = subtract(x, y).digits;
  return sign < 0n ? -1 : sign > 0n ? 1 : 0;
}

// A decimal such as 1e400 rounds to an infinite double but is below infinity.
function infinityRank(exact: Exact | undefined, nearest: number): number {
  return exact === undefined ? (nearest > 0 ? 1 : -1) : 0;
}

/**
 * The distance of a number from the double `base`; undefined if there is none (or if it is infinite or NaN).
 * Index keys contain the nearest double and this distance, so that their order is exact.
 */
export function distanceFrom(number: NumberValue, base: number): Exact | undefined {
  if (isPlain(number)) return undefined;
  const exact = exactOf(number);
  if (exact === undefined) return undefined;
  const rest = subtract(exact, exactDouble(base));
  return rest.digits === 0n ? undefined : rest;
}

/** The exact value; undefined for the infinities and NaN. */
export function exactOf(number: NumberValue): Exact | undefined {
  if (number.type === T.int64) return { digits: number.value, exponent: 0 };
  if (number.type === T.decimal128) return parseDecimal(decimalText(number.value));
  return Number.isFinite(number.value) ? exactDouble(number.value) : undefined;
}

function subtract(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  const x = a.digits * 10n ** BigInt(a.exponent - exponent);
  const y = b.digits * 10n ** BigInt(b.exponent - exponent);
  return { digits: x - y, exponent };
}

const scratch = new DataView(new ArrayBuffer(8));

// A double is mantissa * 2^e, and for a negative e that is mantissa * 5^-e * 10^e.
function exactDouble(value: number): Exact {
  if (Number.isSafeInteger(value)) return { digits: BigInt(value), exponent: 0 };
  scratch.setFloat64(0, value);
  const bits = scratch.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const mantissa = value < 0 ? -magnitude : magnitude;
  const power = Math.max(biased, 1) - 1075;
  if (power >= 0) return { digits: mantissa << BigInt(power), exponent: 0 };
  return { digits: mantissa * 5n ** BigInt(-power), exponent: power };
}

function parseDecimal(text: string): Exact | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/i.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "0", fraction = "", power = "0"] = match;
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent: Number(power) - fraction.length };
}

function decimalText(bytes: Buffer): string {
  return new Decimal128(bytes).toString();
}
