import { doc, type Plain } from "../bson/plain.ts";
import type { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";

const maxStatements = 100_000;

/** Runs the statements of one write command; `ordered` stops at the first failure. */
export function runStatements<Statement>(
  statements: readonly Statement[],
  ordered: boolean,
  run: (statement: Statement, index: number) => void,
): { done: number; errors: { writeErrors?: Plain } } {
  if (statements.length === 0 || statements.length > maxStatements) {
    const problem = `Write batch sizes must be between 1 and ${maxStatements}. Got ${statements.length} operations.`;
    throw new StoreError("InvalidLength", problem);
  }
  let done = 0;
  const failures: Doc[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
      done++;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // An expired time limit ends the command, not only a statement.
      if (error.codeName === "MaxTimeMSExpired") throw error;
      failures.push(
        doc({ index, code: error.code, errmsg: error.message, ...Object.fromEntries(error.details) }),
      );
      if (ordered) break;
    }
  }
  return { done, errors: failures.length > 0 ? { writeErrors: failures } : {} };
}
