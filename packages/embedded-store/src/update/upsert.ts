import { compareText, equalValues } from "../bson/compare.ts";
import { Doc, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { conjuncts, type Expression } from "../query/expression.ts";
import { parseFieldPath } from "../query/path.ts";
import { set } from "./field-operators.ts";
import { changeAt, checkDepth, immutableId } from "./modifier.ts";
import type { Update } from "./parse.ts";

/** The document that an upsert inserts: the filter's equalities, then the update. It may lack an `_id`. */
export function upsertDocument(filter: Expression, update: Update): Doc {
  if (update.kind === "replacement") {
    const id = collectEqualities(filter, (field) => field === "_id").get("_id");
    const own = update.document.get("_id");
    if (id && own && !equalValues(own, id)) throw immutableId();
    if (!id || own) return update.document;
    return new Doc([["_id", id], ...update.document]);
  }
  const equalities = inInsertionOrder(collectEqualities(filter, () => true));
  let doc = new Doc();
  for (const [field, value] of equalities) {
    const path = parseFieldPath(field);
    checkDepth(value, path.length);
    doc = changeAt(doc, path, set(value));
  }
  const id = doc.get("_id");
  const result = update.apply(doc, true);
  const newId = result.get("_id");
  if (id && !(newId && equalValues(newId, id))) throw immutableId();
  return result;
}

function collectEqualities(filter: Expression, isWanted: (field: string) => boolean): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const condition of conjuncts(filter)) {
    const equalities = equalitiesOf(condition).filter(({ field }) => isWanted(field));
    if (impliedBy(condition).filter(({ field }) => isWanted(field)).length > equalities.length)
      throw notSupported(
        "An upsert whose filter implies an equality by $or, $nor, $not or equal members of $in (write the equality itself)",
      );
    for (const { field, value } of equalities) {
      for (const other of found.keys()) if (overlaps(other, field)) throw notSingle(field);
      found.set(field, value);
    }
  }
  return found;
}

interface Equality {
  readonly field: string;
  readonly value: Value;
}

// An `$or` with one branch and an `$in` with one value are equalities too.
function equalitiesOf(condition: Expression): Equality[] {
  if (condition.kind === "or") {
    const [only] = condition.parts;
    if (!only) throw matchesNothing();
    return condition.parts.length === 1 ? conjuncts(only).flatMap(equalitiesOf) : [];
  }
  if (condition.kind !== "test") return [];
  const { field, predicate } = condition;
  if (predicate.operator === "$eq") return [{ field, value: predicate.operand }];
  if (predicate.operator !== "$in" || predicate.bounds?.kind !== "points") return [];
  const [value, ...others] = predicate.bounds.values;
  if (!value) throw matchesNothing();
  return others.length === 0 ? [{ field, value }] : [];
}

/**
 * Equalities that are true of every document that satisfies the condition. MongoDB finds more or fewer of them, depending
 * on its version and on how it has simplified the filter.
 */
function impliedBy(condition: Expression, isNegated = false): Equality[] {
  if (condition.kind === "test") return isNegated ? [] : impliedByTest(condition);
  if (condition.kind === "not") return impliedBy(condition.part, !isNegated);
  const isFlipped = condition.kind === "nor" ? !isNegated : isNegated;
  const [first = [], ...others] = condition.parts.map((part) => impliedBy(part, isFlipped));
  if ((condition.kind === "and") !== isFlipped) return [first, ...others].flat();
  return first.filter((one) => others.every((list) => list.some((other) => isSame(one, other))));
}

function impliedByTest({ field, predicate }: Extract<Expression, { kind: "test" }>): Equality[] {
  if (predicate.bounds?.kind !== "points") return [];
  const [value, ...others] = predicate.bounds.values;
  return value && others.every((other) => equalValues(value, other)) ? [{ field, value }] : [];
}

function isSame(a: Equality, b: Equality): boolean {
  return a.field === b.field && equalValues(a.value, b.value);
}

// MongoDB then ignores the rest of the filter, its `_id` too.
function matchesNothing(): StoreError {
  return notSupported("An upsert whose filter matches nothing");
}

// `_id` comes first. The order of the others is that of a hash table on MongoDB, which differs between its processes.
// Here, it is the same each time: short paths before long ones, then by name.
function inInsertionOrder(equalities: ReadonlyMap<string, Value>): [string, Value][] {
  const rank = (field: string) => (field === "_id" ? 0 : field.split(".").length);
  return [...equalities].sort(([a], [b]) => rank(a) - rank(b) || compareText(a, b));
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

function notSingle(field: string): StoreError {
  return new StoreError(
    "NotSingleValueField",
    `cannot infer query fields to set, path '${field}' is matched twice`,
  );
}
