import { compareValues } from "../bson/compare.ts";
import { encodeDoc } from "../bson/encode.ts";
import { T } from "../bson/types.ts";
import { array, Doc, double, int32, int64, isNumber, List, nullValue, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import type { MemoryBudget } from "./budget.ts";
import { type Evaluate, parseExpression } from "./expression.ts";

/** Accumulates one field of one group. */
export interface Accumulator {
  add(value: Value | undefined): void;
  result(): Value;
}

/** A field of `$group`: the expression evaluated for each document and its accumulator. */
export interface GroupField {
  readonly evaluate: Evaluate;
  readonly start: (budget: MemoryBudget) => Accumulator;
}

/** The accumulators of `$group` by name. A test compares the names with the README's table. */
export const accumulators: Readonly<Record<string, (operand: Value) => GroupField>> = {
  $sum: (operand) => ({ evaluate: parseExpression(operand), start: sum }),
  $first: (operand) => ({ evaluate: parseExpression(operand), start: first }),
  $max: (operand) => ({ evaluate: parseExpression(operand), start: () => extreme(1) }),
  $min: (operand) => ({ evaluate: parseExpression(operand), start: () => extreme(-1) }),
  $push: (operand) => ({ evaluate: parseExpression(operand), start: pushAll }),
  $count: (operand) => {
    if (operand.type !== T.document || operand.value.size > 0) {
      throw new StoreError("FailedToParse", "$count takes no arguments, i.e. $count: {}");
    }
    return { evaluate: () => int32(1), start: sum };
  },
};

/** Parses `{ $sum: … }`. */
export function parseAccumulator(field: string, value: Value): GroupField {
  if (value.type !== T.document) {
    throw new StoreError("Location40234", `The field '${field}' must be an accumulator object`);
  }
  const [name = "", operand = nullValue] = [...value.value][0] ?? [];
  if (value.value.size !== 1) {
    throw new StoreError("Location40238", `The field '${field}' must specify one accumulator`);
  }
  if (operand.type === T.array) {
    throw new StoreError("Location40237", `The ${name} accumulator is a unary operator`);
  }
  const make = own(accumulators, name);
  if (!make) throw notSupported(`The accumulator ${name}`);
  return make(operand);
}

// Integers are added exactly, doubles with Neumaier's correction, so their order hardly matters.
function sum(): Accumulator {
  let whole = 0n;
  let fraction = 0;
  let correction = 0;
  let widest: number = T.int32;
  const addDouble = (value: number) => {
    const total = fraction + value;
    if (Math.abs(fraction) >= Math.abs(value)) correction += fraction - total + value;
    else correction += value - total + fraction;
    fraction = total;
  };
  return {
    add: (value) => {
      if (value === undefined || !isNumber(value)) return;
      if (value.type === T.decimal128) throw notSupported("$sum of decimals");
      if (value.type === T.double) addDouble(value.value);
      else whole += BigInt(value.value);
      if (value.type === T.double || (value.type === T.int64 && widest === T.int32)) widest = value.type;
    },
    result: () => {
      if (widest === T.double) return double(finite(fraction + correction, fraction) + Number(whole));
      if (widest === T.int32 && whole === BigInt.asIntN(32, whole)) return int32(Number(whole));
      return whole === BigInt.asIntN(64, whole) ? int64(whole) : double(Number(whole));
    },
  };
}

// With infinities the correction becomes NaN.
function finite(corrected: number, plain: number): number {
  return Number.isNaN(corrected) ? plain : corrected;
}

function first(): Accumulator {
  let found: { value: Value | undefined } | undefined;
  return {
    add: (value) => {
      found ??= { value };
    },
    result: () => found?.value ?? nullValue,
  };
}

function extreme(sign: number): Accumulator {
  let best: Value | undefined;
  return {
    add: (value) => {
      if (value === undefined || value.type === T.null) return;
      if (best === undefined || compareValues(value, best) * sign > 0) best = value;
    },
    result: () => best ?? nullValue,
  };
}

function pushAll(budget: MemoryBudget): Accumulator {
  const items: Value[] = [];
  return {
    add: (value) => {
      if (value === undefined) return;
      // Copied, because a value that is part of its document would keep the whole document in memory.
      const copy = encodeDoc(new Doc([["value", value]]));
      budget.take(copy.length);
      items.push(Doc.fromRaw(copy).get("value") ?? value);
    },
    result: () => array(new List(items)),
  };
}
