import { type Command, CommanderError } from "commander";
import { CliError, type ExitCode, exitCodes } from "./exit.ts";
import { Api } from "./http/api.ts";
import { readApiKey, readProject, readServerUrl } from "./http/settings.ts";
import type { Act } from "./invocation.ts";
import { Options } from "./options.ts";
import { Output } from "./output.ts";
import { type InstalledServer, type Io, processIo } from "./process-io.ts";
import { createProgram } from "./program.ts";
import { failureDocument, showFailure } from "./show-failure.ts";

/**
 * Runs one command line (without the program name) to completion. Mistakes of the user and failures of the server are
 * reported on the streams of `io` and never thrown.
 */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  // The format also applies to the error for a command line that cannot be parsed.
  const out = new Output(io, args.includes("--json"));
  let exitCode: ExitCode = exitCodes.fine;
  const act = createAct(io, out, (code) => {
    exitCode = code;
  });
  try {
    const line = withHelpLast(args);
    await (await createProgram(act, io, out, line)).parseAsync(line, { from: "user" });
  } catch (error) {
    exitCode = handle(error, out);
  }
  await out.flushed();
  if (out.failure === undefined) return exitCode;
  out.note(`Cannot write the output: ${out.failure.message}`);
  return exitCodes.failure;
}

/** Runs handlers, and reports their exit codes to `done`. */
function createAct(io: Io, out: Output, done: (code: ExitCode) => void): Act {
  return (handler) =>
    async function act(this: Command) {
      const options = new Options(this.optsWithGlobals());
      const url = () => readServerUrl(options.text("url") ?? io.env.MUSTER_URL);
      const project = () => readProject(options.text("project") ?? io.env.MUSTER_PROJECT);
      const api = () => new Api(url(), { key: readApiKey(io.env.MUSTER_API_KEY), project: project() });
      const apiWith = (key: string, source: string) => new Api(url(), { key, source });
      const publicApi = () => new Api(url());
      done((await handler({ io, out, options, args: this.args, api, apiWith, publicApi })) ?? exitCodes.fine);
    };
}

/** Turns `help agents push` into `agents push --help`; commander would stop at the group. */
function withHelpLast(args: readonly string[]): string[] {
  const [first, ...path] = args;
  return first === "help" ? [...path, "--help"] : [...args];
}

function handle(error: unknown, out: Output): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has already reported it, except as JSON.
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

/** Runs the command line of this process. `server`: for `muster serve`. */
export async function runCommand(server?: InstalledServer): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), processIo(server));
  // An open terminal or pipe would keep the process alive.
  process.stdin.destroy();
}
