import { equalValues } from "../bson/compare.ts";
import { Doc, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { conjuncts, type Expression } from "../query/expression.ts";
import { parseFieldPath } from "../query/path.ts";
import { set } from "./field-operators.ts";
import { changeAt } from "./modifier.ts";
import type { Update } from "./parse.ts";

/** The document that an upsert inserts: the filter's equalities, then the update. It may lack an `_id`. */
export function upsertDocument(filter: Expression, update: Update): Doc {
  const equalities = collectEqualities(filter);
  if (update.kind === "replacement") {
    const id = equalities.get("_id");
    const own = update.document.get("_id");
    if (id && own && !equalValues(own, id)) throw immutableId();
    if (!id || own) return update.document;
    return new Doc([["_id", id], ...update.document]);
  }
  let doc = new Doc();
  for (const [field, value] of equalities) doc = changeAt(doc, parseFieldPath(field), set(value));
  const id = doc.get("_id");
  const result = update.apply(doc, true);
  const newId = result.get("_id");
  if (id && !(newId && equalValues(newId, id))) throw immutableId();
  return result;
}

function collectEqualities(filter: Expression): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const condition of conjuncts(filter)) {
    const only = condition.kind === "or" && condition.parts.length === 1 ? condition.parts[0] : condition;
    if (only?.kind !== "test") continue;
    const { operator, operand } = only.predicate;
    if (
      operator === "$in" &&
      only.predicate.bounds?.kind === "points" &&
      only.predicate.bounds.values.length === 1
    ) {
      throw notSupported("An upsert whose filter has $in with one value (write an equality)");
    }
    if (operator !== "$eq") continue;
    for (const field of found.keys()) if (overlaps(field, only.field)) throw notSingle(only.field);
    found.set(only.field, operand);
  }
  return found;
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

export function immutableId(): StoreError {
  const problem = "Performing an update on the path '_id' would modify the immutable field '_id'";
  return new StoreError("ImmutableField", problem);
}
