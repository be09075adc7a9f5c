import { T } from "../bson/types.ts";
import type { Doc, Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import type { Expression } from "./conjuncts.ts";
import { matchesValue } from "./match.ts";
import { type Path, parsePath } from "./path.ts";
import { equality, isOperatorDocument, predicates } from "./predicates.ts";

const maxFilterDepth = 100;

type FieldOperator = (field: string, path: Path, operand: Value, depth: number) => Expression;

/** Operators whose operand contains filters or operators. */
export const nestingOperators: Readonly<Record<string, FieldOperator>> = {
  $ne: (field, path, operand) => ({ kind: "not", part: equal(field, path, operand) }),
  $nin: (field, path, operand) => ({ kind: "not", part: predicate(field, path, "$in", operand) }),
  $not: (field, path, operand, depth) => ({ kind: "not", part: operators(field, path, operand, depth) }),
  $elemMatch: elemMatch,
};

/** Operators that combine whole filters. */
export const logicalOperators: Readonly<Record<string, "and" | "or">> = {
  $and: "and",
  $or: "or",
};

// MongoDB operators that this server lacks. Any other name with `$` is an error on MongoDB too.
const unsupported = new Set(
  "$all $nor $regex $options $mod $text $where $expr $jsonSchema $bitsAllSet $bitsAllClear $bitsAnySet $bitsAnyClear $geoWithin $geoIntersects $near $nearSphere $comment $sampleRate $rand $alwaysTrue $alwaysFalse $within $geoNear $ref $id $db".split(
    " ",
  ),
);

/** Parses a filter document. Throws a StoreError for anything MongoDB or this server refuses. */
export function parseFilter(filter: Doc, depth = 0): Expression {
  if (depth > maxFilterDepth) throw new StoreError("BadValue", "The filter is nested too deeply");
  const parts = Array.from(filter, ([name, value]) => parseEntry(name, value, depth));
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind: "and", parts };
}

function parseEntry(name: string, value: Value, depth: number): Expression {
  if (!name.startsWith("$")) return parseField(name, value, depth);
  const kind = own(logicalOperators, name);
  if (kind === undefined) {
    if (unsupported.has(name)) throw notSupported(`The query operator ${name}`);
    throw new StoreError("BadValue", `unknown top level operator: ${name}`);
  }
  if (value.type !== T.array || value.value.items.length === 0) {
    throw new StoreError("BadValue", `${name} must be a nonempty array`);
  }
  const parts = value.value.items.map((item) => {
    if (item.type !== T.document) throw new StoreError("BadValue", `${name} entries need to be full objects`);
    return parseFilter(item.value, depth + 1);
  });
  return { kind, parts };
}

function parseField(field: string, value: Value, depth: number): Expression {
  const path = parsePath(field);
  if (isOperatorDocument(value)) return operators(field, path, value, depth);
  return equal(field, path, value);
}

function operators(field: string, path: Path, value: Value, depth: number): Expression {
  if (depth > maxFilterDepth) throw new StoreError("BadValue", "The filter is nested too deeply");
  if (value.type === T.regex) throw notSupported("A regular expression in a filter");
  if (value.type !== T.document) throw new StoreError("BadValue", "$not needs a regex or a document");
  if (value.value.size === 0) throw new StoreError("BadValue", "$not cannot be empty");
  const parts = Array.from(value.value, ([name, operand]) => {
    const nesting = own(nestingOperators, name);
    return nesting ? nesting(field, path, operand, depth + 1) : predicate(field, path, name, operand);
  });
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind: "and", parts };
}

function predicate(field: string, path: Path, name: string, operand: Value): Expression {
  const make = own(predicates, name);
  if (!make) {
    if (unsupported.has(name)) throw notSupported(`The query operator ${name}`);
    throw new StoreError("BadValue", `unknown operator: ${name}`);
  }
  // { $exists: false } means "exists nowhere", not "is missing somewhere".
  const made = make(operand);
  if (name === "$exists" && made.test(undefined)) {
    return { kind: "not", part: predicate(field, path, "$exists", { type: T.boolean, value: true }) };
  }
  return { kind: "test", field, path, predicate: made };
}

function equal(field: string, path: Path, operand: Value): Expression {
  return { kind: "test", field, path, predicate: equality(operand) };
}

function elemMatch(field: string, path: Path, operand: Value, depth: number): Expression {
  if (operand.type !== T.document) throw new StoreError("BadValue", "$elemMatch needs an Object");
  if (!isOperatorDocument(operand)) throw notSupported("$elemMatch by anything but operators");
  const inner = operators("", [], operand, depth + 1);
  return {
    kind: "test",
    field,
    path,
    predicate: {
      operator: "$elemMatch",
      operand,
      whole: true,
      test: (value) => value?.type === T.array && value.value.items.some((item) => matchesValue(inner, item)),
    },
  };
}
