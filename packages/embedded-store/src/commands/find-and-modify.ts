import { doc } from "../bson/plain.ts";
import { Doc, nullValue, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { documentProjection } from "../query/projection.ts";
import type { RowId } from "../storage/index-table.ts";
import type { Store } from "../store.ts";
import { parseUpdate, type Update } from "../update/parse.ts";
import { applyUpdate, withId } from "../update/update-one.ts";
import { upsertDocument } from "../update/upsert.ts";
import type { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { firstOf, requiredFilterOf, sortOf } from "./query-arguments.ts";
import { collect } from "./update.ts";

export const findAndModify: Command = {
  name: "findAndModify",
  fields: ["findAndModify", "query", "sort", "remove", "update", "new", "fields", "upsert"],
  retryable: true,
  run: (store, args) => {
    const remove = args.flag("remove", false);
    if (remove && (args.value("update") || args.flag("upsert", false) || args.flag("new", false))) {
      throw new StoreError("FailedToParse", "Cannot specify both an update (or upsert, new) and remove=true");
    }
    const change = remove ? undefined : parseUpdate(args.value("update"), store.now());
    const projection = args.doc("fields") ?? new Doc();
    const project = projection.size > 0 ? documentProjection(projection) : (content: Doc) => content;
    const { value, outcome } = change ? runUpdate(store, args, change) : runRemove(store, args);
    return doc({ lastErrorObject: outcome, value: value ? project(value) : nullValue });
  },
};

interface Result {
  readonly value?: Doc;
  readonly outcome: { n: number; updatedExisting?: boolean; upserted?: Value };
}

function findFirst(store: Store, args: CommandArguments): [RowId, Doc] | undefined {
  const filter = requiredFilterOf(args, "query");
  const sort = sortOf(args);
  const collection = store.catalog.find(args.db, args.string("findAndModify"));
  return collection && collect(collection, firstOf(filter, sort))[0];
}

function runRemove(store: Store, args: CommandArguments): Result {
  const found = findFirst(store, args);
  if (!found) return { outcome: { n: 0 } };
  store.catalog.find(args.db, args.string("findAndModify"))?.remove(...found);
  return { value: found[1], outcome: { n: 1 } };
}

function runUpdate(store: Store, args: CommandArguments, change: Update): Result {
  const returnNew = args.flag("new", false);
  const found = findFirst(store, args);
  if (found) {
    const [row, before] = found;
    const after = applyUpdate(before, change);
    if (after !== before)
      store.catalog.ensure(args.db, args.string("findAndModify")).replace(row, before, after);
    return { value: returnNew ? after : before, outcome: { n: 1, updatedExisting: true } };
  }
  if (!args.flag("upsert", false)) return { outcome: { n: 0, updatedExisting: false } };
  const inserted = withId(upsertDocument(requiredFilterOf(args, "query"), change));
  store.catalog.ensure(args.db, args.string("findAndModify")).insert(inserted);
  const outcome = { n: 1, updatedExisting: false, upserted: inserted.get("_id") ?? nullValue };
  return returnNew ? { value: inserted, outcome } : { outcome };
}
