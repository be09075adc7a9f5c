import { CommanderError } from "commander";
import { CliError, type ExitCode, exitCodes } from "./exit.ts";
import { createAct } from "./invocation.ts";
import type { Io } from "./io.ts";
import { Output } from "./output.ts";
import { createProgram } from "./program.ts";
import { failureDocument, showFailure } from "./show-failure.ts";

/**
 * Runs one command line, without the name of the program, to its end. Never throws for what a user or a server can do;
 * everything is said on the streams of `io`.
 */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  // Also a command line that cannot be parsed has to keep to the format.
  const out = new Output(io, args.includes("--json"));
  let exitCode: ExitCode = exitCodes.fine;
  const act = createAct(io, out, (code) => {
    exitCode = code;
  });
  try {
    await createProgram(act, io, out).parseAsync(withHelpLast(args), { from: "user" });
  } catch (error) {
    exitCode = handle(error, out);
  }
  await out.flushed();
  if (out.failure === undefined) return exitCode;
  out.note(`Cannot write the output: ${out.failure.message}`);
  return exitCodes.failure;
}

/** `help agents push` is `agents push --help`; commander would stop at the group. */
function withHelpLast(args: readonly string[]): string[] {
  const [first, ...path] = args;
  return first === "help" ? [...path, "--help"] : [...args];
}

function handle(error: unknown, out: Output): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has said it already, except in JSON.
    if (error.exitCode === 0) return exitCodes.fine;
    const message = error.message.replace(/^error: /, "");
    if (out.json) out.document({ error: message, code: "USAGE" });
    return exitCodes.usage;
  }
  if (!(error instanceof CliError)) throw error;
  showFailure(error, out);
  if (out.json) out.document(failureDocument(error));
  return error.exitCode;
}
