import { ObjectId } from "bson";
import { equalValues } from "../bson/compare.ts";
import { T } from "../bson/types.ts";
import { Doc, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { immutableId } from "./modifier.ts";
import { refuseEmptyTimestamps, type Update } from "./parse.ts";

/** Applies an update; returns the same object if nothing changed. The `_id` cannot change. */
export function applyUpdate(before: Doc, update: Update): Doc {
  const id = before.get("_id");
  const after = update.kind === "operators" ? update.apply(before, false) : replaced(id, update.document);
  const newId = after.get("_id");
  if (
    after !== before &&
    newId !== id &&
    !(id && newId && equalValues(id, newId) && id.type === newId.type)
  ) {
    throw immutableId();
  }
  return after;
}

function replaced(id: Value | undefined, replacement: Doc): Doc {
  const own = replacement.get("_id");
  if (own && id && !equalValues(own, id)) throw immutableId();
  const fields = [...replacement].filter(([name]) => name !== "_id");
  return new Doc(id ? [["_id", id], ...fields] : fields);
}

/** A document in stored form: `_id` first, generated if missing. Refuses the ids and field names that MongoDB refuses. */
export function withId(doc: Doc): Doc {
  const id = doc.get("_id") ?? { type: T.objectId, value: Buffer.from(new ObjectId().id) };
  if (id.type === T.array || id.type === T.regex) {
    throw new StoreError("InvalidIdField", "The '_id' value cannot be of type array or regex");
  }
  if (id.type === T.document) checkIdFields(id.value);
  for (const name of doc.fields.keys()) {
    if (!name.startsWith("$")) continue;
    throw new StoreError(
      "DollarPrefixedFieldName",
      `The dollar ($) prefixed field '${name}' is not valid for storage.`,
    );
  }
  if (doc.firstName() === "_id") return doc;
  return new Doc([["_id", id], ...[...doc].filter(([name]) => name !== "_id")]);
}

function checkIdFields(id: Doc): void {
  for (const name of id.fields.keys()) {
    if (!name.startsWith("$")) continue;
    throw new StoreError(
      "DollarPrefixedFieldName",
      `_id fields may not contain '$'-prefixed fields: ${name}`,
    );
  }
}

/** A document to insert, in stored form. Here, but not in an upsert, MongoDB checks the whole `_id`. */
export function toInsert(doc: Doc): Doc {
  const id = doc.get("_id");
  if (id) checkDeepId(id);
  refuseEmptyTimestamps(doc);
  return withId(doc);
}

function checkDeepId(value: Value): void {
  if (value.type === T.array) value.value.items.forEach(checkDeepId);
  if (value.type !== T.document) return;
  checkIdFields(value.value);
  for (const [, inner] of value.value) checkDeepId(inner);
}
