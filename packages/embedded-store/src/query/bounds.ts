import { rankOf } from "../bson/compare.ts";
import { encodeKey, invert, prefixEnd } from "../bson/key-encoding.ts";
import { T } from "../bson/types.ts";
import type { Value } from "../bson/value.ts";
import type { Expression } from "./conjuncts.ts";
import type { KeyField } from "./keys.ts";

/** Keys from `low` up to but not including `high`. */
export interface KeyRange {
  readonly low: Buffer;
  readonly high: Buffer;
}

export const wholeRange: KeyRange = { low: Buffer.alloc(0), high: Buffer.from([255, 255]) };

/** The bounds that the conditions imply for one field of an index. */
export type FieldBounds =
  | {
      readonly kind: "points";
      readonly keys: readonly Buffer[];
      readonly exact: boolean;
      readonly used: readonly Expression[];
    }
  | {
      readonly kind: "range";
      readonly range: KeyRange;
      readonly exact: false;
      readonly used: readonly Expression[];
    };

type Test = Extract<Expression, { kind: "test" }>;

/**
 * The keys allowed by a field's conditions: the points of an equality or `$in`, else a range. On a field with
 * arrays only one condition counts, because different elements may satisfy different conditions.
 */
export function fieldBounds(
  conditions: readonly Expression[],
  field: KeyField,
  multikey: boolean,
): FieldBounds | undefined {
  const tests = conditions.filter((each): each is Test => each.kind === "test" && each.field === field.field);
  return pointBounds(tests, field.descending) ?? rangeBounds(tests, field.descending, multikey);
}

function pointBounds(tests: readonly Test[], descending: boolean): FieldBounds | undefined {
  let best: { test: Test; values: readonly Value[] } | undefined;
  for (const test of tests) {
    const { bounds } = test.predicate;
    if (bounds?.kind !== "points" || !bounds.values.every(isIndexable)) continue;
    if (!best || bounds.values.length < best.values.length) best = { test, values: bounds.values };
  }
  if (!best) return undefined;
  const distinct = new Map<string, Buffer>();
  for (const value of best.values) {
    const key = descending ? invert(encodeKey(value)) : encodeKey(value);
    distinct.set(key.toString("latin1"), key);
  }
  const keys = [...distinct.values()].sort(Buffer.compare);
  return { kind: "points", keys, exact: best.values.every(isExact), used: [best.test] };
}

// An array matches by its elements or as a whole, but the index contains only its elements.
function isIndexable(value: Value): boolean {
  return value.type !== T.array;
}

// Null also represents missing fields, and some that are present.
function isExact(value: Value): boolean {
  return value.type !== T.null && value.type !== T.document;
}

interface Ends {
  readonly low: Buffer;
  readonly high: Buffer;
}

function rangeBounds(
  tests: readonly Test[],
  descending: boolean,
  multikey: boolean,
): FieldBounds | undefined {
  let ends: Ends | undefined;
  const used: Test[] = [];
  for (const test of tests) {
    const { bounds } = test.predicate;
    if (bounds?.kind !== "range" || !isIndexable(bounds.value)) continue;
    const next = endsOf(bounds.side, bounds.value, bounds.inclusive, descending);
    ends = ends ? { low: larger(ends.low, next.low), high: smaller(ends.high, next.high) } : next;
    used.push(test);
    if (multikey) break;
  }
  return ends && { kind: "range", range: ends, exact: false, used };
}

function endsOf(side: "low" | "high", value: Value, inclusive: boolean, descending: boolean): Ends {
  const rank = Buffer.from([rankOf(value)]);
  const ascendingKey = encodeKey(value);
  const type = descending ? invert(rank) : rank;
  const key = descending ? invert(ascendingKey) : ascendingKey;
  // In a descending index, larger values come first.
  const fromKey = (side === "low") !== descending;
  if (fromKey) return { low: inclusive ? key : prefixEnd(key), high: prefixEnd(type) };
  return { low: type, high: inclusive ? prefixEnd(key) : key };
}

function larger(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) >= 0 ? a : b;
}

function smaller(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) <= 0 ? a : b;
}
