import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import {
  assertFitsArgument,
  commandResult,
  defaultSandboxLimits,
  killedExitCode,
  OutputKeeper,
  readCommand,
  timeoutExitCode,
} from "@muster/computers/tools";
import type { JsonValue } from "@muster/language/json";
import type { Outcome } from "../state/outcome.ts";
import type { Execution } from "./execution.ts";
import { startGroup } from "./process-group.ts";
import { refused } from "./refused.ts";

/** A folder that does not exist is the command's error. macOS has an old bash, and some systems have none. */
const shell =
  'cd -- "$1" && if command -v bash >/dev/null; then exec bash -c "$2" bash; else exec sh -c "$2" sh; fi';

const { maxOutputBytes, maxPrintedBytes, maxResultBytes } = defaultSandboxLimits;

/** Runs a script in `dir` as the user of this process. Its output is shown while it runs. */
export async function runCommand(
  args: JsonValue,
  { dir, env }: { dir: string; env: NodeJS.ProcessEnv },
  { approve, begin, output, signal }: Execution,
): Promise<Outcome> {
  const absolute = (path: string): string => {
    if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
    return isAbsolute(path) ? path : join(dir, path);
  };
  const { command, cwd, timeoutMs } = readCommand(args, absolute, dir);
  assertFitsArgument(command);
  if (!(await approve(`run in ${cwd}:`, command))) return refused;
  const group = await startGroup({ program: ["/bin/sh", "-c", shell, "sh", cwd, command], cwd: dir, env });
  const startedMs = performance.now();
  let killedFor: "timeout" | "output" | "abort" | undefined;
  let killed: Promise<void> | undefined;
  const kill = (reason: NonNullable<typeof killedFor>): void => {
    killedFor ??= reason;
    killed ??= group.kill();
  };
  try {
    begin(group.leader);
  } catch (error) {
    await group.kill();
    throw error;
  }
  const kept = new OutputKeeper(maxOutputBytes, (piece) =>
    output({ ...piece, atMs: Math.round(performance.now() - startedMs) }),
  );
  let printedBytes = 0;
  const read = async (stream: "stdout" | "stderr", pipe: Readable): Promise<void> => {
    const decoder = new StringDecoder("utf8");
    pipe.on("data", (chunk: Buffer) => {
      printedBytes += chunk.length;
      if (printedBytes > maxPrintedBytes) kill("output");
      kept.add(stream, decoder.write(chunk));
    });
    await new Promise((resolve) => pipe.once("close", resolve));
    kept.add(stream, decoder.end());
  };
  const reads = [read("stdout", group.stdout), read("stderr", group.stderr)];
  const timer = setTimeout(() => kill("timeout"), timeoutMs);
  const abort = () => kill("abort");
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  group.begin();
  const code = await group.ended;
  await Promise.all(reads);
  await killed;
  clearTimeout(timer);
  signal.removeEventListener("abort", abort);
  kept.end();
  if (killedFor === "abort") return { aborted: true };
  const end = killedFor === undefined ? { exitCode: code } : describeEnd(killedFor, timeoutMs);
  return { result: JSON.stringify(commandResult(end, kept, maxResultBytes)) };
}

function describeEnd(killedFor: "timeout" | "output", timeoutMs: number) {
  const kept = "Its changes to files until then were kept.";
  if (killedFor === "timeout") {
    const note = `The command was stopped after ${timeoutMs / 1_000} seconds. ${kept}`;
    return { exitCode: timeoutExitCode, note };
  }
  const mib = maxPrintedBytes / 1024 / 1024;
  return {
    exitCode: killedExitCode,
    note: `The command was stopped because it printed more than ${mib} MiB. ${kept}`,
  };
}
