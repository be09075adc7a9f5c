import { doc } from "../bson/plain.ts";
import { Doc, nullValue, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { documentProjection } from "../query/projection.ts";
import type { Steps } from "../steps.ts";
import type { Store } from "../store.ts";
import { parseUpdate, type Update } from "../update/parse.ts";
import { applyUpdate, withId } from "../update/update-one.ts";
import { upsertDocument } from "../update/upsert.ts";
import type { CommandArguments } from "./arguments.ts";
import type { Command, Work } from "./command.ts";
import { findForWrite, type Match } from "./matches.ts";
import { firstOf, requiredFilterOf, sortOf } from "./query-arguments.ts";

export const findAndModify: Command = {
  name: "findAndModify",
  fields: ["findAndModify", "query", "sort", "remove", "update", "new", "fields", "upsert"],
  freesSpace: (args) => args.isDeletion || args.flag("remove", false),
  run: function* (store, args, work) {
    const remove = args.flag("remove", false);
    if (remove && (args.value("update") || args.flag("upsert", false) || args.flag("new", false))) {
      throw new StoreError("FailedToParse", "Cannot specify both an update (or upsert, new) and remove=true");
    }
    const change = remove ? undefined : parseUpdate(args.value("update"));
    const projection = args.doc("fields") ?? new Doc();
    const project = projection.size > 0 ? documentProjection(projection) : (found: Doc) => found;
    const { value, outcome } = change
      ? yield* runUpdate(store, args, work, change)
      : yield* runRemove(store, args, work);
    return doc({ lastErrorObject: outcome, value: value ? project(value) : nullValue });
  },
};

interface Result {
  readonly value?: Doc;
  readonly outcome: { n: number; updatedExisting?: boolean; upserted?: Value };
}

function findFirst(
  store: Store,
  args: CommandArguments,
  work: Work,
  upsert: boolean,
): Steps<Match | undefined> {
  const query = firstOf(requiredFilterOf(args, "query"), sortOf(args));
  return findForWrite(store, { db: args.db, name: args.string("findAndModify") }, query, work, upsert);
}

function* runRemove(store: Store, args: CommandArguments, work: Work): Steps<Result> {
  const found = yield* findFirst(store, args, work, false);
  if (!found) return { outcome: { n: 0 } };
  found.collection.remove(found.row, found.content);
  return { value: found.content, outcome: { n: 1 } };
}

function* runUpdate(store: Store, args: CommandArguments, work: Work, change: Update): Steps<Result> {
  const returnNew = args.flag("new", false);
  const upsert = args.flag("upsert", false);
  const found = yield* findFirst(store, args, work, upsert);
  if (found) {
    const { collection, row, content: before } = found;
    const after = applyUpdate(before, change);
    if (after !== before) collection.replace(row, before, after);
    const outcome = { n: 1, updatedExisting: true };
    return { value: returnNew ? after : before, outcome };
  }
  if (!upsert) return { outcome: { n: 0, updatedExisting: false } };
  const inserted = withId(upsertDocument(requiredFilterOf(args, "query"), change));
  store.catalog.ensure(args.db, args.string("findAndModify")).insert(inserted);
  const outcome = { n: 1, updatedExisting: false, upserted: inserted.get("_id") ?? nullValue };
  return returnNew ? { value: inserted, outcome } : { outcome };
}
