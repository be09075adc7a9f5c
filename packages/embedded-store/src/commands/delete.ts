import { doc } from "../bson/plain.ts";
import type { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../open-store.ts";
import { parseFilter } from "../query/parse.ts";
import type { Steps } from "../steps.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command, Work } from "./command.ts";
import { findForWrite, type Match, type Target, writeEach } from "./matches.ts";
import { firstOf } from "./query-arguments.ts";
import { type Outcome, runStatements } from "./statements.ts";

export const deleteCommand: Command = {
  name: "delete",
  freesSpace: () => true,
  fields: ["delete", "deletes", "ordered"],
  run: function* (store, args, work) {
    const target = { db: args.db, name: args.string("delete") };
    const deletions = args.docs("deletes").map(readStatement);
    const ordered = args.flag("ordered", true);
    const { n, errors } = yield* runStatements(store, deletions, ordered, work, (statement, outcome) =>
      runStatement(store, target, statement, outcome, work),
    );
    return doc({ n, ...errors });
  },
};

interface Statement {
  readonly q: Doc;
  readonly limit: number;
}

function* runStatement(
  store: Store,
  target: Target,
  { q, limit }: Statement,
  outcome: Outcome,
  work: Work,
): Steps<void> {
  const filter = parseFilter(q);
  const remove = ({ collection, row, content }: Match) => {
    collection.remove(row, content);
    outcome.n++;
  };
  if (limit === 0) {
    yield* writeEach(store, target, filter, work, remove);
    return;
  }
  const match = yield* findForWrite(store, target, firstOf(filter), work, false);
  if (match) remove(match);
}

// Read before any statement runs: a malformed statement fails the whole command.
function readStatement(statement: Doc): Statement {
  const deletion = new CommandArguments(statement, "delete.deletes");
  deletion.allowOnly(["q", "limit"], false);
  const q = deletion.requiredDoc("q");
  const limit = deletion.requiredInteger("limit");
  if (limit === 0 || limit === 1) return { q, limit };
  throw new StoreError("FailedToParse", `The limit of a delete must be 0 or 1. Got ${limit}`);
}
