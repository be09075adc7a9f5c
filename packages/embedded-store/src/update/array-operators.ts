import { equalValues } from "../bson/compare.ts";
import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { array, type Doc, isNumber, List, typeName, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { matches } from "../query/match.ts";
import { parseFilter } from "../query/parse.ts";
import { isOperatorDocument } from "../query/predicates.ts";
import type { Modifier } from "./modifier.ts";

interface PushOptions {
  readonly values: readonly Value[];
  readonly slice?: number;
}

/** `$push`, with `$each` and `$slice`. */
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

function pushed(items: readonly Value[], { values, slice }: PushOptions): readonly Value[] {
  const all = [...items, ...values];
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
    if (name === "$sort" || name === "$position") throw notSupported(`$push with ${name}`);
    if (!["$each", "$slice"].includes(name)) {
      throw new StoreError("BadValue", `Unrecognized clause in $push: ${name}`);
    }
  }
  const each = clauses.get("$each");
  if (each?.type !== T.array)
    throw new StoreError("BadValue", `The argument to $each must be an array but is ${show(each)}`);
  const slice = sliceIn(clauses);
  return { values: each.value.items, ...(slice === undefined ? {} : { slice }) };
}

// Without $each, MongoDB adds the document itself, which was hardly meant.
function refuseClauses(operand: Value): void {
  const first = operand.type === T.document ? operand.value.firstName() : undefined;
  if (first === "$position" || first === "$slice" || first === "$sort") {
    throw notSupported(`$push of a document that begins with ${first}`);
  }
}

function sliceIn(clauses: Doc): number | undefined {
  const value = clauses.get("$slice");
  if (value === undefined) return undefined;
  const number = isNumber(value) ? nearestDouble(value) : Number.NaN;
  if (Number.isInteger(number)) return number;
  throw new StoreError("BadValue", `The value for $slice must be an integer value but was ${show(value)}`);
}

/** `$pull`: removes equal values, or documents that match a filter. */
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
  if (isOperatorDocument(operand)) throw notSupported("$pull with operators");
  const filter = parseFilter(operand.value);
  return (item) => item.type === T.document && matches(filter, item.value);
}

function itemsOf(current: Value | undefined, problem: string): readonly Value[] {
  if (current === undefined) return [];
  if (current.type === T.array) return current.value.items;
  throw new StoreError("BadValue", `${problem} ${typeName(current)}`);
}
