import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Leader } from "../state/journal-line.ts";
import { processStartOf, readProcessStatus } from "../state/process-start.ts";

/**
 * Waits for a word on descriptor 3 and then becomes the program. A process beside it waits for the end of descriptor 3,
 * at the latest the end of this process, and kills the whole group. The polite signal must not end it, not even in its
 * first moment, so the shell ignores that signal while it starts it.
 */
const wrapper =
  'read -r go <&3 && [ "$go" = go ] || exit 125; trap "" TERM; (cat <&3; kill -KILL 0) >/dev/null 2>&1 & trap - TERM; exec "$@" 3<&-';

const graceMs = 500;
const pollMs = 10;
/** For a process that the kernel does not end, such as one that waits for a dead network disk. */
const maxWaitMs = 5_000;
/** A process that has left the group may keep a pipe open. */
const pipeWaitMs = 2_000;

export interface GroupOptions {
  program: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Whether the program reads an input; otherwise it is empty. */
  hasInput?: boolean;
}

/** A program and all that it starts, unless that leaves its process group. */
export interface ProcessGroup {
  leader: Leader;
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  /** Nothing of the program runs before. */
  begin(): void;
  /** Resolves with the exit code when the program has ended and the rest of its group was killed. */
  ended: Promise<number>;
  /** Ends all of it, politely at first. Resolves when none of it is left. */
  kill(): Promise<void>;
}

/** Rejects if the program cannot be started. */
export async function startGroup({ program, cwd, env, hasInput }: GroupOptions): Promise<ProcessGroup> {
  const child = spawn("/bin/sh", ["-c", wrapper, "sh", ...program], {
    ...{ cwd, env, detached: true },
    stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe", "pipe"],
  });
  await once(child, "spawn");
  const { pid, stdin, stdout, stderr } = child;
  const gate = child.stdio[3];
  const started = pid === undefined ? undefined : processStartOf(pid);
  if (pid === undefined || started === undefined || stdout === null || stderr === null)
    throw new Error("the process of a command is not there");
  if (gate === null || gate === undefined || !("write" in gate)) throw new Error("the process has no gate");
  // It may have been killed before.
  gate.on("error", () => {});
  const ended = endOf(child, pid).finally(() => gate.destroy());
  ended.catch(() => {});
  return {
    ...{ leader: { pid, started }, stdin, stdout, stderr, ended },
    begin: () => void gate.write("go\n"),
    kill: () => killGroup(pid),
  };
}

async function endOf(child: ChildProcess, pid: number): Promise<number> {
  const [code, signal] = await once(child, "exit");
  // The process that waits for the gate keeps the number of the group taken until here.
  signalGroup(pid, "SIGKILL");
  if (child.exitCode === null && child.signalCode === null) throw new Error("the process has not ended");
  const closed = new AbortController();
  const close = async () => {
    await sleep(pipeWaitMs, undefined, { signal: closed.signal, ref: false });
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  close().catch(() => {});
  await pipesClosed(child);
  closed.abort();
  await groupGone(pid);
  return typeof code === "number" ? code : 128 + signalNumber(signal);
}

async function pipesClosed({ stdout, stderr }: ChildProcess): Promise<void> {
  const open = [stdout, stderr].filter((pipe) => pipe !== null && !pipe.closed);
  await Promise.all(open.map((pipe) => pipe && new Promise((resolve) => pipe.once("close", resolve))));
}

function signalNumber(name: unknown): number {
  const found = Object.entries(constants.signals).find(([signal]) => signal === name);
  return found?.[1] ?? 0;
}

/** SIGTERM, and SIGKILL to what is left. Resolves when nothing is. */
async function killGroup(pid: number): Promise<void> {
  if (!signalGroup(pid, "SIGTERM")) return;
  if (await groupGone(pid, graceMs)) return;
  signalGroup(pid, "SIGKILL");
  await groupGone(pid);
}

async function groupGone(pid: number, withinMs = maxWaitMs): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += pollMs) {
    if (!isRunning(pid)) return true;
    await sleep(pollMs);
  }
  return false;
}

/** Whether a process of the group can still do something: the first process of a container may collect dead ones late. */
function isRunning(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((name) => {
    const status = /^\d+$/.test(name) ? readProcessStatus(Number(name)) : undefined;
    return status?.group === group && !status.isDead;
  });
}

/** Whether any process of the group could get it. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Kills the group of a command that an earlier process has left, if its leader still is the same process. */
export async function killLeftGroup({ pid, started }: Leader): Promise<void> {
  if (processStartOf(pid) === started) await killGroup(pid);
}
