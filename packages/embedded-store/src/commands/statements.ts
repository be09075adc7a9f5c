import { DamagedDocument } from "../bson/layout.ts";
import { doc, type Plain } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { type Doc, isNumber } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../open-store.ts";
import type { Steps } from "../steps.ts";
import type { Work } from "./command.ts";

const maxStatements = 100_000;

/** A write is several times the work of reading a document. */
const writeBytes = 4096;

/** The results of a write's statements so far. */
export class Outcome {
  /** The index of the next statement. */
  next = 0;
  n = 0;
  nModified = 0;
  readonly upserted: Doc[] = [];
  readonly failures: Doc[] = [];

  /** The outcome from which a write continues that a full disk has interrupted. */
  static from(progress: Doc | undefined): Outcome {
    const outcome = new Outcome();
    outcome.next = numberIn(progress, "next");
    outcome.n = numberIn(progress, "n");
    outcome.nModified = numberIn(progress, "nModified");
    outcome.upserted.push(...docsIn(progress, "upserted"));
    outcome.failures.push(...docsIn(progress, "failures"));
    return outcome;
  }

  get progress(): Doc {
    const { next, n, nModified, upserted, failures } = this;
    return doc({ next, n, nModified, upserted, failures });
  }

  /** The fields of a reply that list failures, if there are any. */
  get errors(): { writeErrors?: Plain } {
    return this.failures.length > 0 ? { writeErrors: this.failures } : {};
  }
}

/** Runs the statements of one write command; `ordered` stops at the first failure. */
export function* runStatements<Statement>(
  store: Store,
  statements: readonly Statement[],
  ordered: boolean,
  work: Work,
  run: (statement: Statement, outcome: Outcome) => Steps<void> | void,
): Steps<Outcome> {
  if (statements.length === 0 || statements.length > maxStatements) {
    const problem = `Write batch sizes must be between 1 and ${maxStatements}. Got ${statements.length} operations.`;
    throw new StoreError("InvalidLength", problem);
  }
  const outcome = Outcome.from(work.progress);
  while (outcome.next < statements.length) {
    const statement = statements[outcome.next];
    if (statement === undefined) break;
    try {
      const steps = run(statement, outcome);
      if (steps) yield* withProgress(steps, outcome);
    } catch (error) {
      noteFailure(outcome, statementError(store, error));
      if (ordered) break;
    }
    outcome.next++;
    if (work.pace.spend(writeBytes) || store.database.isLogFull) yield outcome.progress;
  }
  return outcome;
}

function* withProgress(steps: Steps<void>, outcome: Outcome): Steps<void> {
  try {
    while (!steps.next().done) yield outcome.progress;
  } finally {
    steps.return();
  }
}

// A damaged document fails only the statement that reads it: it is read before anything of its own is written.
function statementError({ database }: Store, error: unknown): StoreError {
  if (error instanceof DamagedDocument) return database.noteDamage(error);
  // An expired time limit ends the command, not only a statement.
  if (error instanceof StoreError && error.codeName !== "MaxTimeMSExpired") return error;
  throw error;
}

function noteFailure(outcome: Outcome, error: StoreError): void {
  const { code, message, details } = error;
  outcome.failures.push(doc({ index: outcome.next, code, errmsg: message, ...Object.fromEntries(details) }));
}

function numberIn(source: Doc | undefined, name: string): number {
  const value = source?.get(name);
  return value && isNumber(value) ? Number(value.value) : 0;
}

function docsIn(source: Doc | undefined, name: string): Doc[] {
  const list = source?.get(name);
  if (list?.type !== T.array) return [];
  return list.value.items.flatMap((item) => (item.type === T.document ? [item.value] : []));
}
