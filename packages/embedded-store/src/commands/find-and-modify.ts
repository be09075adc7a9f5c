import { doc } from "../bson/plain.ts";
import { Doc, nullValue, type Value } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import { documentProjection } from "../query/projection.ts";
import type { Steps } from "../steps.ts";
import { parseUpdate, type Update } from "../update/parse.ts";
import { applyUpdate, withId } from "../update/update-one.ts";
import { upsertDocument } from "../update/upsert-document.ts";
import type { CommandArguments } from "./arguments.ts";
import type { Command, Work } from "./command.ts";
import { findForWrite } from "./matches.ts";
import { firstOf, requiredFilterOf, sortOf } from "./query-arguments.ts";

export const findAndModify: Command = {
  name: "findAndModify",
  fields: ["findAndModify", "query", "sort", "update", "new", "fields", "upsert"],
  freesSpace: (args) => args.isDeletion,
  run: function* (store, args, work) {
    const change = parseUpdate(args.value("update"));
    const projection = args.doc("fields") ?? new Doc();
    const project = projection.size > 0 ? documentProjection(projection) : (found: Doc) => found;
    const { value, outcome } = yield* runUpdate(store, args, work, change);
    return doc({ lastErrorObject: outcome, value: value ? project(value) : nullValue });
  },
};

interface Result {
  readonly value?: Doc;
  readonly outcome: { n: number; updatedExisting?: boolean; upserted?: Value };
}

function* runUpdate(store: Store, args: CommandArguments, work: Work, change: Update): Steps<Result> {
  const returnNew = args.flag("new", false);
  const upsert = args.flag("upsert", false);
  const target = { db: args.db, name: args.string("findAndModify") };
  const filter = requiredFilterOf(args, "query");
  const found = yield* findForWrite(store, target, firstOf(filter, sortOf(args)), work, upsert);
  if (found) {
    const { collection, row, content: before } = found;
    const after = applyUpdate(before, change);
    if (after !== before) collection.replace(row, before, after);
    const outcome = { n: 1, updatedExisting: true };
    return { value: returnNew ? after : before, outcome };
  }
  if (!upsert) return { outcome: { n: 0, updatedExisting: false } };
  const inserted = withId(upsertDocument(filter, change));
  store.catalog.ensure(target.db, target.name).insert(inserted);
  const outcome = { n: 1, updatedExisting: false, upserted: inserted.get("_id") ?? nullValue };
  return returnNew ? { value: inserted, outcome } : { outcome };
}
