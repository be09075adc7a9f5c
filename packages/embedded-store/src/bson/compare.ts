import { compareNumbers } from "./numbers.ts";
import { T } from "./types.ts";
import { type Binary, type Doc, isNumber, nullValue, type Value } from "./value.ts";

/**
 * Each type's rank in MongoDB's order of types; all numbers share one rank. Also the first byte of an
 * encoded key, so none may be 0 (the terminator) nor above 127 (descending keys are inverted).
 */
export const typeRank: Record<number, number> = {
  [T.minKey]: 1,
  [T.null]: 5,
  [T.double]: 10,
  [T.int32]: 10,
  [T.int64]: 10,
  [T.decimal128]: 10,
  [T.string]: 15,
  [T.document]: 20,
  [T.array]: 25,
  [T.binary]: 30,
  [T.objectId]: 35,
  [T.boolean]: 40,
  [T.date]: 45,
  [T.timestamp]: 47,
  [T.regex]: 50,
  [T.code]: 60,
  [T.maxKey]: 120,
};

export function rankOf(value: Value): number {
  return typeRank[value.type] ?? 0;
}

/** MongoDB's total order of all values; a missing value counts as null. */
export function compareValues(a: Value | undefined, b: Value | undefined): number {
  const x = a ?? nullValue;
  const y = b ?? nullValue;
  const byType = rankOf(x) - rankOf(y);
  return byType !== 0 ? byType : compareSameRank(x, y);
}

export function equalValues(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0;
}

function compareSameRank(a: Value, b: Value): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (a.type === T.string && b.type === T.string) return compareText(a.value, b.value);
  if (a.type === T.code && b.type === T.code) return compareText(a.value, b.value);
  if (a.type === T.document && b.type === T.document) return compareDocs(a.value, b.value);
  if (a.type === T.array && b.type === T.array) return compareItems(a.value.items, b.value.items);
  if (a.type === T.binary && b.type === T.binary) return compareBinary(a.value, b.value);
  if (a.type === T.objectId && b.type === T.objectId) return Buffer.compare(a.value, b.value);
  if (a.type === T.boolean && b.type === T.boolean) return Number(a.value) - Number(b.value);
  if (a.type === T.date && b.type === T.date) return compareBigInts(a.value, b.value);
  if (a.type === T.timestamp && b.type === T.timestamp) return compareBigInts(a.value, b.value);
  if (a.type === T.regex && b.type === T.regex) {
    return compareText(a.value.pattern, b.value.pattern) || compareText(a.value.flags, b.value.flags);
  }
  return 0;
}

/** Compares UTF-8 bytes, whose order differs from JavaScript's for characters outside the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

// Surrogates (0xd800-0xdfff) encode characters above 0xffff, so they sort after 0xe000-0xffff.
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function compareDocs(a: Doc, b: Doc): number {
  const other = b[Symbol.iterator]();
  for (const [name, value] of a) {
    const next = other.next();
    if (next.done) return 1;
    const [otherName, otherValue] = next.value;
    const order =
      rankOf(value) - rankOf(otherValue) || compareText(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return other.next().done ? 0 : -1;
}

function compareItems(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareValues(value, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareBinary(a: Binary, b: Binary): number {
  return a.bytes.length - b.bytes.length || a.subtype - b.subtype || Buffer.compare(a.bytes, b.bytes);
}

function compareBigInts(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
