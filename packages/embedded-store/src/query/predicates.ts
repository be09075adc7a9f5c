import { compareValues, equalValues, rankOf } from "../bson/compare.ts";
import { encodeKey } from "../bson/key-encoding.ts";
import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T, typeByName } from "../bson/types.ts";
import { isNumber, nullValue, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { Bounds, Predicate } from "./conjuncts.ts";

/** Operators that test one value, by name. A test compares the names with the README's table. */
export const predicates: Readonly<Record<string, (operand: Value) => Predicate>> = {
  $eq: equality,
  $gt: (operand) => comparison("$gt", operand),
  $gte: (operand) => comparison("$gte", operand),
  $lt: (operand) => comparison("$lt", operand),
  $lte: (operand) => comparison("$lte", operand),
  $in: membership,
  $exists: existence,
  $type: typeTest,
  $size: sizeTest,
};

export function equality(operand: Value): Predicate {
  refuseRegex(operand);
  const base = { operator: "$eq", operand, whole: false };
  const bounds: Bounds = { kind: "points", values: [operand] };
  if (operand.type === T.null) return { ...base, bounds, test: (value) => !value || value.type === T.null };
  if (operand.type === T.string) {
    const text = operand.value;
    return { ...base, bounds, test: (value) => value?.type === T.string && value.value === text };
  }
  return { ...base, bounds, test: (value) => value !== undefined && equalValues(value, operand) };
}

type Comparison = "$gt" | "$gte" | "$lt" | "$lte";

// Only values of the operand's type are compared: { $gt: 5 } never accepts a string.
function comparison(operator: Comparison, operand: Value): Predicate {
  refuseRegex(operand);
  if (operand.type === T.minKey || operand.type === T.maxKey) {
    throw notSupported(`${operator} with MinKey or MaxKey`);
  }
  const inclusive = operator === "$gte" || operator === "$lte";
  const side = operator === "$gt" || operator === "$gte" ? "low" : "high";
  const sign = side === "low" ? 1 : -1;
  const rank = rankOf(operand);
  return {
    operator,
    operand,
    whole: false,
    bounds: { kind: "range", side, value: operand, inclusive },
    test: (missable) => {
      const value = missable ?? nullValue;
      if (rankOf(value) !== rank) return false;
      if (isNan(value) || isNan(operand)) return inclusive && isNan(value) && isNan(operand);
      const order = compareValues(value, operand) * sign;
      return order > 0 || (inclusive && order === 0);
    },
  };
}

function isNan(value: Value): boolean {
  return isNumber(value) && Number.isNaN(nearestDouble(value));
}

const smallList = 8;

function membership(operand: Value): Predicate {
  if (operand.type !== T.array) throw new StoreError("BadValue", "$in needs an array");
  const values = operand.value.items;
  values.forEach(refuseRegex);
  if (values.some(isOperatorDocument)) throw new StoreError("BadValue", "cannot nest $ under $in");
  return {
    operator: "$in",
    operand,
    whole: false,
    bounds: { kind: "points", values },
    test: values.length <= smallList ? testSmallList(values) : testLargeList(values),
  };
}

function testSmallList(values: readonly Value[]): Predicate["test"] {
  const tests = values.map((value) => equality(value).test);
  return (value) => tests.some((test) => test(value));
}

function testLargeList(values: readonly Value[]): Predicate["test"] {
  const keys = new Set(values.map((value) => encodeKey(value).toString("latin1")));
  return (value) => keys.has(encodeKey(value ?? nullValue).toString("latin1"));
}

function existence(operand: Value): Predicate {
  const wanted = truth(operand);
  return {
    operator: "$exists",
    operand,
    whole: true,
    test: (value) => (value !== undefined) === wanted,
  };
}

/** MongoDB's truth: everything except false, null and the number 0. */
export function truth(value: Value): boolean {
  if (value.type === T.null) return false;
  if (value.type === T.boolean) return value.value;
  return !isNumber(value) || nearestDouble(value) !== 0;
}

function typeTest(operand: Value): Predicate {
  const type = operand.type === T.string ? typeByName(operand.value) : undefined;
  if (type === undefined) throw notSupported(`$type of anything but the name of one type (${show(operand)})`);
  return { operator: "$type", operand, whole: false, test: (value) => value?.type === type };
}

const maxInt32 = 2 ** 31 - 1;

function sizeTest(operand: Value): Predicate {
  const size = isNumber(operand) ? nearestDouble(operand) : Number.NaN;
  if (!Number.isInteger(size) || size < 0 || size > maxInt32) {
    throw new StoreError(
      "BadValue",
      `$size needs a whole number from 0 to ${maxInt32}, not ${show(operand)}`,
    );
  }
  return {
    operator: "$size",
    operand,
    whole: true,
    test: (value) => value?.type === T.array && value.value.items.length === size,
  };
}

/** Whether a value is a document of operators, such as `{ $gt: 1 }`. */
export function isOperatorDocument(value: Value): boolean {
  return value.type === T.document && (value.value.firstName()?.startsWith("$") ?? false);
}

function refuseRegex(value: Value): void {
  if (value.type === T.regex) throw notSupported("A regular expression in a filter");
}
