import { compareValues } from "../bson/compare.ts";
import { doc } from "../bson/plain.ts";
import { type Doc, document } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { buildIndexes } from "../storage/build-indexes.ts";
import { idIndex } from "../storage/catalog.ts";
import type { Collection } from "../storage/collection.ts";
import { type IndexSpec, parseIndexSpec } from "../storage/index-spec.ts";
import type { Command } from "./command.ts";

const maxIndexes = 64;

export const createIndexes: Command = {
  name: "createIndexes",
  fields: ["createIndexes", "indexes"],
  run: function* (store, args) {
    const name = args.string("createIndexes");
    const specs = args.docs("indexes").map(parseIndexSpec);
    if (specs.length === 0) throw new StoreError("BadValue", "Must specify at least one index to create");
    // Several instances of a service declare the same indexes at the same time.
    while (store.catalog.buildsOf(`${args.db}.${name}`).size > 0) yield;
    const existing = store.catalog.find(args.db, name);
    const before = existing?.indexes.length ?? 1;
    const missing = missingFrom(existing?.indexes.map(({ spec }) => spec) ?? [idIndex()], specs);
    // Declaring existing indexes again, as every start of a service does, writes nothing.
    if (existing && missing.length === 0) return reply(existing, before);
    const collection = store.catalog.ensure(args.db, name);
    if (!collection.isEmpty) yield* buildIndexes(store.catalog, store.database, collection, missing);
    else for (const spec of missing) store.catalog.addIndex(collection, spec);
    return reply(store.catalog.ensure(args.db, name), before, existing === undefined);
  },
};

/** Throws before anything is written. */
function missingFrom(existing: readonly IndexSpec[], specs: readonly IndexSpec[]): IndexSpec[] {
  const missing: IndexSpec[] = [];
  for (const spec of specs) if (!isPresent([...existing, ...missing], spec)) missing.push(spec);
  if (missing.length === 0 || existing.length + missing.length <= maxIndexes) return missing;
  throw new StoreError("CannotCreateIndex", `A collection may have at most ${maxIndexes} indexes`);
}

function reply(
  collection: Collection,
  numIndexesBefore: number,
  createdCollectionAutomatically = false,
): Doc {
  const numIndexesAfter = collection.indexes.length;
  return doc({ numIndexesBefore, numIndexesAfter, createdCollectionAutomatically });
}

// Declaring the same index twice is fine; the same name or keys with any other difference is a conflict.
function isPresent(existing: readonly IndexSpec[], spec: IndexSpec): boolean {
  for (const other of existing) {
    const sameName = other.name === spec.name;
    const sameKeys = compareValues(other.source.get("key"), spec.source.get("key")) === 0;
    if (sameName && sameKeys && (spec.name === "_id_" || sameOptions(other, spec))) return true;
    if (sameKeys && samePartial(other, spec)) {
      const problem = `An index with the same keys and other options exists: ${other.name}`;
      throw new StoreError("IndexOptionsConflict", problem);
    }
    if (sameName) {
      const problem = `An existing index has the same name as the requested index with different specs: ${spec.name}`;
      throw new StoreError("IndexKeySpecsConflict", problem);
    }
  }
  return false;
}

function sameOptions(a: IndexSpec, b: IndexSpec): boolean {
  return compareValues(document(a.source), document(b.source)) === 0;
}

function samePartial(a: IndexSpec, b: IndexSpec): boolean {
  const option = "partialFilterExpression";
  return compareValues(a.source.get(option), b.source.get(option)) === 0;
}
