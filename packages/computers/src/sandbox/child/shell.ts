import { Bash, type BashOptions, type SecureFetch } from "just-bash";
import { homeDirectory } from "../../files/limits.ts";
import type { Job } from "../job.ts";
import type { Channel } from "./open-channel.ts";
import { type ShellFs, shownText } from "./shell-fs.ts";
import { streamStatements } from "./stream-statements.ts";

const mib = 1024 * 1024;
/** More than any command gets to in its time. Some commands do not accept infinity. */
const unlimited = 2 ** 40;

/**
 * Time and memory of the process are bounded from outside, so counts of commands and loops are not: a long loop is
 * legitimate. The other limits keep single operations from filling the memory.
 */
function executionLimits(job: Job): NonNullable<BashOptions["executionLimits"]> {
  return {
    maxCommandCount: unlimited,
    maxLoopIterations: unlimited,
    maxAwkIterations: unlimited,
    maxSedIterations: unlimited,
    maxJqIterations: unlimited,
    maxWorkUnits: unlimited,
    maxAwkParserOperations: unlimited,
    maxGlobOperations: 10_000_000,
    maxTraversalWork: 10_000_000,
    maxSourceBytes: mib,
    maxOutputSize: job.maxOutputBytes,
    maxStringLength: 64 * mib,
    maxFileSystemBytes: job.maxBytes,
    maxLiveBytes: 512 * mib,
    maxInputBytes: 1024 * mib,
    maxArchiveBytes: job.maxBytes,
    maxExecutionTimeMs: job.timeoutMs,
  };
}

/** The commands that this sandbox offers: all but those that run another interpreter (SQLite, Python, JavaScript). */
const excluded = new Set(["sqlite3"]);

export function createShell(fs: ShellFs, job: Job, channel: Channel, names: readonly string[]): Bash {
  return new Bash({
    fs,
    cwd: job.cwd,
    env: { HOME: homeDirectory, USER: "agent", LANG: "C.UTF-8" },
    executionLimits: executionLimits(job),
    processInfo: { pid: 100, ppid: 1, uid: 1000, gid: 1000 },
    commands: names.filter((name): name is CommandName => !excluded.has(name)),
    ...(job.network ? { fetch: fetchThrough(channel) } : {}),
  });
}

type CommandName = NonNullable<BashOptions["commands"]>[number];

/** Runs the command, shows its output as it arrives, and returns its exit code. */
export async function runCommand(bash: Bash, job: Job, channel: Channel): Promise<number> {
  let isOuter = true;
  bash.registerTransformPlugin({
    name: "stream",
    // Scripts inside the script (`bash -c`) pass here, too; their output may go anywhere.
    transform({ ast }) {
      if (!isOuter) return { ast };
      isOuter = false;
      return { ast: streamStatements(ast, job.command) };
    },
  });
  const { stdout, stderr, exitCode } = await bash.exec(job.command, { cwd: job.cwd, rawScript: true });
  if (stdout !== "") channel.output("stdout", shownText(stdout));
  if (stderr !== "") channel.output("stderr", shownText(stderr));
  return exitCode;
}

function fetchThrough(channel: Channel): SecureFetch {
  return async (url, options = {}) => {
    const { head, body } = channel.fetch({
      url,
      method: options.method ?? "GET",
      headers: headerList(options.headers),
      ...(options.body === undefined ? {} : { body: options.body }),
      followRedirects: options.followRedirects ?? true,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    });
    const headers: Record<string, string> = Object.create(null);
    for (const [name, value] of head.headers)
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    return { status: head.status, statusText: head.statusText, headers, url: head.url, body };
  };
}

function headerList(headers: Headers | Record<string, string> | undefined): [string, string][] {
  if (headers === undefined) return [];
  return headers instanceof Headers ? [...headers] : Object.entries(headers);
}
