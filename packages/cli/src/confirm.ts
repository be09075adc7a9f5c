import { createInterface } from "node:readline";
import { failure, usageError } from "./exit.ts";
import type { Output } from "./output.ts";
import type { Io } from "./process-io.ts";

/**
 * Returns if the user agrees, and throws ABORTED if not. Without a terminal it throws a usage error that names the
 * flag to use instead.
 */
export async function confirm(io: Io, out: Output, question: string, flag: string): Promise<void> {
  if (io.stdin.isTTY !== true) {
    throw usageError(
      `Cannot ask "${question}" because standard input is not a terminal. To confirm, add ${flag}.`,
    );
  }
  out.notePiece(`${question} [y/N] `);
  const answer = await readLine(io);
  out.lineEnded();
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw failure("ABORTED", "Nothing was changed.");
}

/** The next line of the input; empty at its end. */
async function readLine(io: Io): Promise<string> {
  const lines = createInterface({ input: io.stdin, terminal: false });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}
