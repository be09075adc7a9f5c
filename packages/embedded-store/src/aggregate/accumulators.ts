import { compareValues } from "../bson/compare.ts";
import { T } from "../bson/types.ts";
import { array, int32, isNumber, List, nullValue, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { entryBytes, type MemoryShare } from "../query/memory.ts";
import type { Accumulator } from "./accumulator.ts";
import { copied } from "./detached.ts";
import { constantIn, type Evaluate, parseExpression } from "./expression.ts";
import { sum, sumOf } from "./sum.ts";

/** A field of `$group`: the expression evaluated for each document and its accumulator. */
export interface GroupField {
  readonly evaluate: Evaluate;
  readonly start: (memory: MemoryShare) => Accumulator;
}

/** The accumulators of `$group` by name. A test compares the names with the README's table. */
export const accumulators: Readonly<Record<string, (operand: Value) => GroupField>> = {
  $sum: (operand) => {
    const constant = constantIn(operand);
    const start = constant && isNumber(constant) ? sumOf(constant) : sum;
    return { evaluate: parseExpression(operand), start };
  },
  $first: (operand) => ({ evaluate: parseExpression(operand), start: first }),
  $max: (operand) => ({ evaluate: parseExpression(operand), start: (memory) => extreme(1, memory) }),
  $min: (operand) => ({ evaluate: parseExpression(operand), start: (memory) => extreme(-1, memory) }),
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

function first(memory: MemoryShare): Accumulator {
  let found: { value: Value | undefined } | undefined;
  const held = holder(memory);
  return {
    add: (value) => {
      found ??= { value: value && held(value) };
    },
    result: () => found?.value ?? nullValue,
  };
}

function extreme(sign: number, memory: MemoryShare): Accumulator {
  let best: Value | undefined;
  const held = holder(memory);
  return {
    add: (value) => {
      if (value === undefined || value.type === T.null) return;
      if (best === undefined || compareValues(value, best) * sign > 0) best = held(value);
    },
    result: () => best ?? nullValue,
  };
}

function pushAll(memory: MemoryShare): Accumulator {
  const items: Value[] = [];
  return {
    add: (value) => {
      if (value === undefined) return;
      const copy = copied(value);
      memory.take(copy.bytes + entryBytes, "Group");
      items.push(copy.value);
    },
    result: () => array(new List(items)),
  };
}

/** Keeps one value in memory, instead of the one before. */
function holder(memory: MemoryShare): (value: Value) => Value {
  let bytes = 0;
  return (value) => {
    const copy = copied(value);
    memory.take(copy.bytes - bytes, "Group");
    bytes = copy.bytes;
    return copy.value;
  };
}
