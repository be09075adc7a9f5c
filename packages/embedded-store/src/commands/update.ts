import { doc } from "../bson/plain.ts";
import { type Doc, nullValue, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../open-store.ts";
import type { Expression } from "../query/conjuncts.ts";
import type { Query } from "../query/cursor.ts";
import { parseFilter } from "../query/parse.ts";
import type { Steps } from "../steps.ts";
import { parseUpdate, type Update } from "../update/parse.ts";
import { applyUpdate, withId } from "../update/update-one.ts";
import { upsertDocument } from "../update/upsert-document.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command, Work } from "./command.ts";
import { findForWrite, type Match, type Target, writeEach } from "./matches.ts";
import { firstOf } from "./query-arguments.ts";
import { type Outcome, runStatements } from "./statements.ts";

export const update: Command = {
  name: "update",
  fields: ["update", "updates", "ordered"],
  // A statement that changes many documents cannot continue where a full disk interrupted it.
  freesSpace: (args) =>
    args.isDeletion && args.docs("updates").every((statement) => !readStatement(statement).multi),
  run: function* (store, args, work) {
    const target = { db: args.db, name: args.string("update") };
    const statements = args.docs("updates").map(readStatement);
    const ordered = args.flag("ordered", true);
    const run = (statement: Statement, outcome: Outcome) =>
      runStatement(store, target, statement, outcome, work);
    const { n, nModified, upserted, errors } = yield* runStatements(store, statements, ordered, work, run);
    return doc({ n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...errors });
  },
};

interface Statement {
  readonly q: Doc;
  readonly u: Value;
  readonly multi: boolean;
  readonly upsert: boolean;
}

// Read before any statement runs: a malformed statement fails the whole command.
function readStatement(statement: Doc): Statement {
  const args = new CommandArguments(statement, "update.updates");
  args.allowOnly(["q", "u", "multi", "upsert"], false);
  return {
    q: args.requiredDoc("q"),
    u: args.requiredValue("u"),
    multi: args.flag("multi", false),
    upsert: args.flag("upsert", false),
  };
}

function* runStatement(
  store: Store,
  target: Target,
  statement: Statement,
  outcome: Outcome,
  work: Work,
): Steps<void> {
  const { multi, upsert } = statement;
  const filter = parseFilter(statement.q);
  const change = parseUpdate(statement.u);
  if (multi && change.kind === "replacement") {
    throw new StoreError("FailedToParse", "multi update is not supported for replacement-style update");
  }
  const { matched, modified } = yield* multi
    ? updateEach(store, target, filter, change, work)
    : updateFirst(store, target, firstOf(filter), change, work, upsert);
  outcome.n += matched;
  outcome.nModified += modified;
  if (matched > 0 || !upsert) return;
  const inserted = withId(upsertDocument(filter, change));
  store.catalog.ensure(target.db, target.name).insert(inserted);
  outcome.n++;
  outcome.upserted.push(doc({ index: outcome.next, _id: inserted.get("_id") ?? nullValue }));
}

interface Counts {
  readonly matched: number;
  readonly modified: number;
}

function* updateEach(
  store: Store,
  target: Target,
  filter: Expression,
  change: Update,
  work: Work,
): Steps<Counts> {
  let modified = 0;
  const matched = yield* writeEach(store, target, filter, work, (match) => {
    modified += apply(match, change);
  });
  return { matched, modified };
}

function* updateFirst(
  store: Store,
  target: Target,
  query: Query,
  change: Update,
  work: Work,
  upsert: boolean,
): Steps<Counts> {
  const match = yield* findForWrite(store, target, query, work, upsert);
  return match ? { matched: 1, modified: apply(match, change) } : { matched: 0, modified: 0 };
}

/** Returns the number of changed documents. */
function apply({ collection, row, content }: Match, change: Update): number {
  const after = applyUpdate(content, change);
  const isChanged = after !== content && collection.replace(row, content, after);
  return isChanged || (change.kind === "operators" && change.alwaysModifies) ? 1 : 0;
}
