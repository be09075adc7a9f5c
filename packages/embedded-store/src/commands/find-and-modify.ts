import { doc } from "../bson/plain.ts";
import { Doc, nullValue, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { documentProjection } from "../query/projection.ts";
import type { Steps } from "../steps.ts";
import { projected, type ReplyImage } from "../storage/resend.ts";
import type { Store } from "../store.ts";
import { parseUpdate, type Update } from "../update/parse.ts";
import { applyUpdate, withId } from "../update/update-one.ts";
import { upsertDocument } from "../update/upsert.ts";
import type { CommandArguments } from "./arguments.ts";
import { type Command, ReplyWithImage, type Work } from "./command.ts";
import { findForWrite, type Match } from "./matches.ts";
import { firstOf, requiredFilterOf, sortOf } from "./query-arguments.ts";

export const findAndModify: Command = {
  name: "findAndModify",
  fields: ["findAndModify", "query", "sort", "remove", "update", "new", "fields", "upsert"],
  retryable: true,
  freesSpace: (args) => args.isDeletion || args.flag("remove", false),
  run: function* (store, args, work) {
    const remove = args.flag("remove", false);
    if (remove && (args.value("update") || args.flag("upsert", false) || args.flag("new", false))) {
      throw new StoreError("FailedToParse", "Cannot specify both an update (or upsert, new) and remove=true");
    }
    const change = remove ? undefined : parseUpdate(args.value("update"), store.now());
    const projection = args.doc("fields") ?? new Doc();
    if (projection.size > 0) documentProjection(projection);
    const { value, outcome, stored } = change
      ? yield* runUpdate(store, args, work, change)
      : yield* runRemove(store, args, work);
    const shown = value ? projected(value, projection) : nullValue;
    return new ReplyWithImage(
      doc({ lastErrorObject: outcome, value: shown }),
      stored && { ...stored, projection },
    );
  },
};

interface Result {
  readonly value?: Doc;
  readonly outcome: { n: number; updatedExisting?: boolean; upserted?: Value };
  /** The document that the write stored, if `value` can be rebuilt from it. */
  readonly stored?: Omit<ReplyImage, "projection">;
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
    const stored = { collection, row, after };
    return returnNew
      ? { value: after, outcome, stored }
      : { value: before, outcome, stored: { ...stored, before } };
  }
  if (!upsert) return { outcome: { n: 0, updatedExisting: false } };
  const inserted = withId(upsertDocument(requiredFilterOf(args, "query"), change));
  const collection = store.catalog.ensure(args.db, args.string("findAndModify"));
  const row = collection.insert(inserted);
  const outcome = { n: 1, updatedExisting: false, upserted: inserted.get("_id") ?? nullValue };
  return returnNew ? { value: inserted, outcome, stored: { collection, row, after: inserted } } : { outcome };
}
