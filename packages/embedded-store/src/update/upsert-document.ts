import { compareText, equalValues } from "../bson/compare.ts";
import { Doc, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { conjuncts, type Expression } from "../query/conjuncts.ts";
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
    refuseHiddenEquality(condition);
    if (condition.kind !== "test" || condition.predicate.operator !== "$eq") continue;
    const { field, predicate } = condition;
    if (!isWanted(field)) continue;
    for (const other of found.keys()) if (overlaps(other, field)) throw notSingle(field);
    found.set(field, predicate.operand);
  }
  return found;
}

/** MongoDB also finds equalities in these, depending on its version and on how it has simplified the filter. */
function refuseHiddenEquality(condition: Expression): void {
  const isNegated = condition.kind === "not" && condition.part.kind === "test";
  const isTest = condition.kind === "test" && condition.predicate.operator !== "$in";
  if (!isNegated && !isTest)
    throw notSupported(
      "An upsert whose filter contains $or, $in or a nested $not (write the equality itself)",
    );
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
