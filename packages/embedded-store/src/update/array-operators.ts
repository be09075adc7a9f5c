import { equalValues } from "../bson/compare.ts";
import { encodeKey } from "../bson/key-encoding.ts";
import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { array, Doc, isNumber, List, typeName, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { matches } from "../query/match.ts";
import { logicalOperators, parseFilter } from "../query/parse.ts";
import type { Modifier } from "./modifier.ts";

interface PushOptions {
  readonly values: readonly Value[];
  readonly position?: number;
  readonly slice?: number;
}

/** `$push`, with `$each`, `$position` and `$slice`. */
export function push(operand: Value, field: string): Modifier {
  const options = parsePush(operand);
  return {
    creates: true,
    alwaysCounts: options.values.length > 0,
    change: (current) => {
      const items = itemsOf(current, `The field '${field}' must be an array but is of type`);
      if (current !== undefined && options.values.length === 0 && options.slice === undefined) return current;
      return array(new List(pushed(items, options)));
    },
  };
}

function pushed(items: readonly Value[], { values, position, slice }: PushOptions): readonly Value[] {
  const all = [...items];
  all.splice(position ?? all.length, 0, ...values);
  if (slice === undefined) return all;
  return slice < 0 ? all.slice(slice) : all.slice(0, slice);
}

function parsePush(operand: Value): PushOptions {
  const clauses = operand.type === T.document && operand.value.has("$each") ? operand.value : undefined;
  if (!clauses) {
    refuseClauses(operand);
    return { values: [operand] };
  }
  for (const [name] of clauses) {
    if (name === "$sort") throw notSupported("$push with $sort");
    if (!["$each", "$position", "$slice"].includes(name)) {
      throw new StoreError("BadValue", `Unrecognized clause in $push: ${name}`);
    }
  }
  const position = integerClause(clauses, "$position");
  const slice = integerClause(clauses, "$slice");
  return {
    values: eachValues(clauses, "BadValue"),
    ...(position === undefined ? {} : { position }),
    ...(slice === undefined ? {} : { slice }),
  };
}

// Without $each, MongoDB adds the document itself, which was hardly meant.
function refuseClauses(operand: Value): void {
  const first = operand.type === T.document ? operand.value.firstName() : undefined;
  if (first === "$position" || first === "$slice" || first === "$sort") {
    throw notSupported(`$push of a document that begins with ${first}`);
  }
}

function eachValues(clauses: Doc, error: "BadValue" | "TypeMismatch"): readonly Value[] {
  const each = clauses.get("$each");
  if (each?.type === T.array) return each.value.items;
  throw new StoreError(error, `The argument to $each must be an array but is ${show(each)}`);
}

function integerClause(clauses: Doc, name: string): number | undefined {
  const value = clauses.get(name);
  if (value === undefined) return undefined;
  const number = isNumber(value) ? nearestDouble(value) : Number.NaN;
  if (Number.isInteger(number)) return number;
  throw new StoreError("BadValue", `The value for ${name} must be an integer value but was ${show(value)}`);
}

/** `$addToSet`, with `$each`. Equality considers the order of fields but not the type of a number. */
export function addToSet(operand: Value, field: string): Modifier {
  const isEach = operand.type === T.document && operand.value.firstName() === "$each";
  const values = isEach ? eachValues(operand.value, "TypeMismatch") : [operand];
  if (isEach && operand.value.size > 1)
    throw new StoreError("BadValue", "Found unexpected fields after $each in $addToSet");
  return {
    creates: true,
    change: (current) => {
      const items = itemsOf(
        current,
        `Cannot apply $addToSet to non-array field. Field named '${field}' has type`,
      );
      const result = [...items];
      addMissing(result, values);
      const same = current !== undefined && result.length === items.length;
      return same ? current : array(new List(result));
    },
  };
}

const smallList = 8;

function addMissing(result: Value[], values: readonly Value[]): void {
  if (values.length <= smallList) {
    for (const value of values) if (!result.some((item) => equalValues(item, value))) result.push(value);
    return;
  }
  const textOf = (value: Value) => encodeKey(value).toString("latin1");
  const present = new Set(result.map(textOf));
  for (const value of values) {
    const text = textOf(value);
    if (present.has(text)) continue;
    present.add(text);
    result.push(value);
  }
}

/** `$pull`: removes equal values, or values that match a filter or operators. */
export function pull(operand: Value): Modifier {
  const leaves = pullTest(operand);
  return {
    creates: false,
    change: (current) => {
      if (current === undefined) return undefined;
      const items = itemsOf(current, "Cannot apply $pull to a value of type");
      const kept = items.filter((item) => !leaves(item));
      return kept.length === items.length ? current : array(new List(kept));
    },
  };
}

function pullTest(operand: Value): (item: Value) => boolean {
  if (operand.type === T.regex) throw notSupported("$pull with a regular expression");
  if (operand.type !== T.document) return (item) => equalValues(item, operand);
  const first = operand.value.firstName();
  if (first?.startsWith("$") && own(logicalOperators, first) === undefined) {
    const filter = parseFilter(new Doc([["", operand]]));
    return (item) => matches(filter, new Doc([["", item]]));
  }
  const filter = parseFilter(operand.value);
  return (item) => item.type === T.document && matches(filter, item.value);
}

function itemsOf(current: Value | undefined, problem: string): readonly Value[] {
  if (current === undefined) return [];
  if (current.type === T.array) return current.value.items;
  throw new StoreError("BadValue", `${problem} ${typeName(current)}`);
}
