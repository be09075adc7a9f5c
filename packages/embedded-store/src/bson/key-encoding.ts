import { rankOf } from "./compare.ts";
import { distanceFrom, nearestDouble } from "./numbers.ts";
import { T } from "./types.ts";
import type { Doc, NumberValue, Value } from "./value.ts";

/*
 * Keys whose byte order is the order of the values (compare.ts). No encoding is a prefix of another:
 * the type's rank, then the value. Zero terminates variable lengths, so no component begins with it.
 */

/** Key of an empty array, which MongoDB indexes as "undefined": after minKey, before null. */
export const emptyArrayKey = Buffer.from([2]);

let buffer = Buffer.allocUnsafe(4096);
let at = 0;

/** One component of a key. Ascending; see `invert` for descending. */
export function encodeKey(value: Value): Buffer {
  at = 0;
  putValue(value);
  const key = Buffer.allocUnsafe(at);
  buffer.copy(key, 0, 0, at);
  return key;
}

/** The same component for a descending index: byte order reversed. */
export function invert(key: Buffer): Buffer {
  const inverted = Buffer.allocUnsafe(key.length);
  for (let i = 0; i < key.length; i++) inverted[i] = 255 - (key[i] ?? 0);
  return inverted;
}

/** The first key after all keys starting with `prefix`. */
export function prefixEnd(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 255) length--;
  const end = Buffer.from(prefix.subarray(0, length));
  if (length === 0) return Buffer.from([255, 255]);
  end[length - 1] = (end[length - 1] ?? 0) + 1;
  return end;
}

function reserve(bytes: number): void {
  if (at + bytes <= buffer.length) return;
  const bigger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes));
  buffer.copy(bigger, 0, 0, at);
  buffer = bigger;
}

function putByte(byte: number): void {
  reserve(1);
  buffer[at++] = byte;
}

function putBytes(bytes: Uint8Array): void {
  reserve(bytes.length);
  buffer.set(bytes, at);
  at += bytes.length;
}

function putValue(value: Value): void {
  putByte(rankOf(value));
  putContent(value);
}

function putContent(value: Value): void {
  switch (value.type) {
    case T.string:
    case T.code:
      putText(value.value);
      break;
    case T.document:
      putDoc(value.value);
      break;
    case T.array:
      for (const item of value.value.items) putValue(item);
      putByte(0);
      break;
    case T.binary:
      putUint32(value.value.bytes.length);
      putByte(value.value.subtype);
      putBytes(value.value.bytes);
      break;
    case T.objectId:
      putBytes(value.value);
      break;
    case T.boolean:
      putByte(value.value ? 1 : 0);
      break;
    case T.date:
      putUint64(BigInt.asUintN(64, value.value) ^ (1n << 63n));
      break;
    case T.timestamp:
      putUint64(value.value);
      break;
    case T.regex:
      putText(value.value.pattern);
      putText(value.value.flags);
      break;
    case T.double:
    case T.int32:
    case T.int64:
    case T.decimal128:
      putNumber(value);
      break;
    case T.null:
    case T.minKey:
    case T.maxKey:
  }
}

function putDoc(doc: Doc): void {
  for (const [name, value] of doc) {
    putByte(rankOf(value));
    putText(name);
    putContent(value);
  }
  putByte(0);
}

// A zero byte is encoded as 0 255 and the end as 0 0, so "a" sorts before "a\0" and both before "b".
function putText(text: string): void {
  reserve(text.length * 3 + 2);
  const start = at;
  at += buffer.write(text, at, "utf8");
  if (buffer.subarray(start, at).includes(0)) escapeZeros(start);
  putByte(0);
  putByte(0);
}

function escapeZeros(start: number): void {
  const raw = Buffer.from(buffer.subarray(start, at));
  at = start;
  for (const byte of raw) {
    putByte(byte);
    if (byte === 0) putByte(255);
  }
}

function putUint32(value: number): void {
  reserve(4);
  at = buffer.writeUInt32BE(value, at);
}

function putUint64(value: bigint): void {
  reserve(8);
  at = buffer.writeBigUInt64BE(value, at);
}

/** The nearest double, then the distance of the exact value from it (128 = none). */
function putNumber(number: NumberValue): void {
  const nearest = clamp(nearestDouble(number), number);
  putDouble(nearest);
  const rest = distanceFrom(number, nearest);
  if (rest === undefined) putByte(128);
  else putRest(rest.digits, rest.exponent);
}

// A decimal beyond the range of doubles is not infinite: it is the largest double and a rest.
function clamp(nearest: number, number: NumberValue): number {
  if (number.type !== T.decimal128 || Number.isFinite(nearest)) return nearest;
  return distanceFrom(number, 0) === undefined ? nearest : Math.sign(nearest) * Number.MAX_VALUE;
}

function putDouble(value: number): void {
  reserve(8);
  // NaN comes first. -0 and 0 are equal, so they need one key.
  if (Number.isNaN(value)) buffer.fill(0, at, at + 8);
  else {
    buffer.writeDoubleBE(value + 0, at);
    const first = buffer[at] ?? 0;
    if (first < 128) buffer[at] = first | 128;
    else for (let i = at; i < at + 8; i++) buffer[i] = 255 - (buffer[i] ?? 0);
  }
  at += 8;
}

// Sign, magnitude (position of the first digit), digits, terminator; inverted as a whole when negative.
function putRest(digits: bigint, exponent: number): void {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().replace(/0+$/, "");
  const magnitude = (negative ? -digits : digits).toString().length + exponent;
  putByte(negative ? 127 : 129);
  const start = at;
  reserve(text.length + 3);
  at = buffer.writeUInt16BE(magnitude + 32768, at);
  for (const digit of text) putByte(Number(digit) + 1);
  putByte(0);
  if (negative) for (let i = start; i < at; i++) buffer[i] = 255 - (buffer[i] ?? 0);
}
