import { doc } from "../bson/plain.ts";
import { Doc, nullValue, type Value } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { openQuery } from "../query/cursor.ts";
import type { KeyField } from "../query/keys.ts";
import { parseFilter } from "../query/parse.ts";
import type { Collection } from "../storage/collection.ts";
import type { RowId } from "../storage/index-table.ts";
import type { Store } from "../store.ts";
import { parseUpdate } from "../update/parse.ts";
import { applyUpdate, withId } from "../update/update-one.ts";
import { upsertDocument } from "../update/upsert.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { sortOf } from "./query-arguments.ts";
import { runStatements } from "./statements.ts";

interface Outcome {
  matched: number;
  modified: number;
  upserted?: Value;
}

export const update: Command = {
  name: "update",
  fields: ["update", "updates", "ordered"],
  retryable: true,
  run: (store, args) => {
    const name = args.string("update");
    const total = { n: 0, nModified: 0 };
    const upserted: Doc[] = [];
    const statements = args.docs("updates").map(readStatement);
    const { errors } = runStatements(statements, args.flag("ordered", true), (statement, index) => {
      const outcome = runStatement(store, args.db, name, statement);
      total.n += outcome.matched + (outcome.upserted ? 1 : 0);
      total.nModified += outcome.modified;
      if (outcome.upserted) upserted.push(doc({ index, _id: outcome.upserted }));
    });
    return doc({ ...total, ...(upserted.length > 0 ? { upserted } : {}), ...errors });
  },
};

interface Statement {
  readonly q: Doc;
  readonly u: Value;
  readonly sort: readonly KeyField[];
  readonly multi: boolean;
  readonly upsert: boolean;
}

// Read before any statement runs: a malformed statement fails the whole command.
function readStatement(statement: Doc): Statement {
  const args = new CommandArguments(statement, "update.updates");
  args.allowOnly(["q", "u", "multi", "upsert", "sort"], false);
  return {
    q: args.requiredDoc("q"),
    u: args.requiredValue("u"),
    sort: sortOf(args),
    multi: args.flag("multi", false),
    upsert: args.flag("upsert", false),
  };
}

function runStatement(store: Store, db: string, name: string, statement: Statement): Outcome {
  const { multi, sort } = statement;
  const filter = parseFilter(statement.q);
  const change = parseUpdate(statement.u, store.now());
  if (multi && change.kind === "replacement") {
    throw new StoreError("FailedToParse", "multi update is not supported for replacement-style update");
  }
  const collection = store.catalog.find(db, name);
  const query = { filter, sort, skip: 0, limit: multi ? 0 : 1 };
  const found = collection ? collect(collection, query) : [];
  if (found.length === 0 && statement.upsert) {
    const inserted = withId(upsertDocument(filter, change));
    store.catalog.ensure(db, name).insert(inserted);
    return { matched: 0, modified: 0, upserted: inserted.get("_id") ?? nullValue };
  }
  let modified = 0;
  for (const [row, before] of found) {
    store.database.checkTime();
    const after = applyUpdate(before, change);
    if (after !== before && collection?.replace(row, before, after)) modified++;
  }
  return { matched: found.length, modified };
}

/** Collects all matches first, so that a changed document cannot match again. */
export function collect(collection: Collection, query: Parameters<typeof openQuery>[1]): [RowId, Doc][] {
  const found: [RowId, Doc][] = [];
  openQuery(collection, query).run((content, row) => {
    found.push([row, Doc.fromRaw(content)]);
    return true;
  });
  return found;
}
