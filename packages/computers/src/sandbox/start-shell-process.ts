import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Socket } from "node:net";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { shipped } from "@muster/service/shipped";
import type { KillReason } from "./job-killed-error.ts";

const shellEntry = fileURLToPath(shipped("./child/shell-process.ts", import.meta.url));
const ownModules = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? ".." : ".", import.meta.url));
const heapMib = 384;
/** Seconds of CPU time after which the system ends a process that has lost its parent. */
const maxCpuSeconds = 1_500;
const memoryCheckMs = 100;
const lowPriority = 10;

/** The process of one command. */
export type ShellProcess = ReturnType<typeof startShellProcess>;

export interface ShellProcessOptions {
  maxMemoryBytes: number;
  /** Prepares the shell for its first command: for a process whose job is not there yet. */
  warmUp?: boolean;
  /** For tests of the powers of code in such a process. */
  entry?: string;
}

/**
 * Starts a process that loads the shell and then waits for its job. It gets no environment variable, and from Node only the right
 * to read the files of the shell: no other file, no process, no thread, no native code, no code from strings.
 */
export function startShellProcess({
  maxMemoryBytes,
  warmUp = false,
  entry = shellEntry,
}: ShellProcessOptions) {
  const child = spawn(...commandLine(warmUp ? [entry, "--warm-up"] : [entry]), {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    // Ctrl-C in a terminal goes to the whole group. The service decides when its commands end.
    detached: process.platform !== "win32",
  });
  const line = lineOf(child);
  let killedFor: KillReason | undefined;
  const kill = (reason: KillReason): void => {
    killedFor ??= reason;
    child.kill("SIGKILL");
  };
  const stopWatching = watchMemory(child, maxMemoryBytes, () => kill("memory"));
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  }).finally(stopWatching);
  lowerPriority(child);
  return {
    pid: child.pid,
    line,
    /** Resolves when the process is gone. */
    ended,
    get killedFor() {
      return killedFor;
    },
    /** SIGKILL: nothing in the process can delay it. */
    kill,
  };
}

function commandLine(entry: readonly string[]): [string, string[]] {
  const node = [
    "--permission",
    ...readableFolders().map((folder) => `--allow-fs-read=${folder}`),
    "--disallow-code-generation-from-strings",
    `--max-old-space-size=${heapMib}`,
    "--no-warnings",
    ...entry,
  ];
  if (!existsSync("/bin/sh")) return [process.execPath, node];
  // The limits of the system apply even if this process dies and its child is left alone in a loop.
  const limits = `ulimit -t ${maxCpuSeconds}; ulimit -c 0; ulimit -f 0; exec "$0" "$@"`;
  return ["/bin/sh", ["-c", limits, process.execPath, ...node]];
}

/** The shell with its packages, and this package or the bundle. */
function readableFolders(): string[] {
  const shell = fileURLToPath(import.meta.resolve("just-bash"));
  const modules = shell.slice(0, shell.lastIndexOf("node_modules") + "node_modules".length);
  return [modules, ownModules];
}

function lineOf(child: ChildProcess): Socket {
  const line = child.stdio[3];
  if (!(line instanceof Socket)) throw new Error("the process has no line");
  // A process that was killed in the middle of a write: its end is seen elsewhere.
  line.on("error", () => {});
  return line;
}

/** The services of this machine have priority. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, lowPriority);
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

/** Contents of files are outside of the heap, which Node bounds; on Linux the whole process is watched. */
function watchMemory(child: ChildProcess, maxBytes: number, exceeded: () => void): () => void {
  const { pid } = child;
  if (process.platform !== "linux" || pid === undefined) return () => {};
  const pageBytes = 4_096;
  const timer = setInterval(() => {
    readFile(`/proc/${pid}/statm`, "utf8").then(
      (text) => {
        if (Number(text.split(" ")[1]) * pageBytes > maxBytes) exceeded();
      },
      () => {},
    );
  }, memoryCheckMs);
  timer.unref();
  return () => clearInterval(timer);
}
