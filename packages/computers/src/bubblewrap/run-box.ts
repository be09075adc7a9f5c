import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Socket } from "node:net";
import { setPriority } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { setInterval, setTimeout as sleep } from "node:timers/promises";
import { homeDirectory } from "../files/limits.ts";
import { type BoxNetwork, boxArguments, boxPaths } from "./box-arguments.ts";
import type { CommandGroup } from "./control-groups.ts";
import { memoryOf } from "./memory-of.ts";

export interface BoxLimits {
  maxMemoryBytes: number;
  maxProcesses: number;
  maxFileBytes: number;
  maxPrintedBytes: number;
  timeoutMs: number;
}

export interface BoxOptions {
  programs: { bwrap: string; prlimit: string };
  root: string;
  home: string;
  etc: string;
  /** Named pipes that belong to the uid: programs open `/dev/stdout` again, which they cannot if it is a socket. */
  pipes: { stdout: string; stderr: string };
  seccompFile: string;
  /** Undefined: the user of this process. */
  uid: number | undefined;
  /** Absent: each process has the limits, and the memory of all together is measured. */
  group: CommandGroup | undefined;
  network?: BoxNetwork;
  command: string;
  cwd: string;
  limits: BoxLimits;
  output(stream: "stdout" | "stderr", text: string): void;
  /** Asked now and then while the command runs; true: it must end. */
  fillsDisk(): Promise<boolean>;
  signal: AbortSignal;
}

export type BoxEnd =
  | { exitCode: number }
  | { killedFor: "aborted" | "timeout" | "memory" | "output" | "disk" }
  /** Bubblewrap could not start the command, or was killed from outside. */
  | { problem: string };

const tmpBytes = 128 * 1024 * 1024;
const memoryWatchMs = 200;
const diskWatchMs = 1_000;
const lowPriority = 10;
const maxProblemLength = 2_000;

/** Runs a command in a box. Resolves when none of its processes is left. */
export async function runBox(options: BoxOptions): Promise<BoxEnd> {
  const { limits, signal, group } = options;
  const box = startBox(options);
  let killedFor: Extract<BoxEnd, { killedFor: unknown }>["killedFor"] | undefined;
  const kill = (reason: NonNullable<typeof killedFor>): void => {
    killedFor ??= reason;
    void box.kill();
  };
  const abort = () => kill("aborted");
  const timer = setTimeout(() => kill("timeout"), limits.timeoutMs);
  const watching = new AbortController();
  const watch = async (reason: "memory" | "disk", watchMs: number, isTrue: () => Promise<boolean>) => {
    for await (const _ of setInterval(watchMs, undefined, { ref: false, signal: watching.signal }))
      if (await isTrue()) kill(reason);
  };
  const isTooLarge = async () => (await memoryOf(box.pid)) > limits.maxMemoryBytes;
  const watches = [watch("disk", diskWatchMs, options.fillsDisk)];
  if (group === undefined) watches.push(watch("memory", memoryWatchMs, isTooLarge));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  let printedBytes = 0;
  let errors = "";
  const print = (stream: "stdout" | "stderr") => (part: string, bytes: number) => {
    printedBytes += bytes;
    if (printedBytes > limits.maxPrintedBytes) kill("output");
    if (stream === "stderr" && errors.length < maxProblemLength) errors += part;
    if (killedFor === undefined) options.output(stream, part);
  };
  try {
    const reads = [readAll(box.stdout, print("stdout")), readAll(box.stderr, print("stderr"))];
    await box.ended;
    await Promise.all(reads);
  } finally {
    clearTimeout(timer);
    watching.abort();
    await Promise.allSettled(watches);
    signal.removeEventListener("abort", abort);
  }
  if (killedFor !== undefined) return { killedFor };
  if (await group?.ranOutOfMemory()) return { killedFor: "memory" };
  const exitCode = exitCodeIn(await box.status);
  if (exitCode !== undefined) return { exitCode };
  return { problem: box.startProblem() || errors.slice(0, maxProblemLength).trim() };
}

/** The process of bubblewrap, the pipes of the command, and an end that waits for the last process in the box. */
function startBox(options: BoxOptions) {
  const { uid, pipes, group } = options;
  const opened: number[] = [];
  const opens = (path: string, flags: number): number => {
    const fd = openSync(path, flags);
    opened.push(fd);
    return fd;
  };
  // Before the writing ends, which would wait for them. They close themselves.
  const [stdout, stderr] = [pipes.stdout, pipes.stderr].map(
    (path) => new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false }),
  );
  if (stdout === undefined || stderr === undefined) throw new Error("two pipes");
  try {
    const [out, err] = [opens(pipes.stdout, constants.O_WRONLY), opens(pipes.stderr, constants.O_WRONLY)];
    const seccomp = opens(options.seccompFile, constants.O_RDONLY);
    const child = spawn(options.programs.prlimit, commandLine(options), {
      cwd: "/",
      env: {},
      stdio: ["ignore", out, err, "pipe", seccomp, ...(group ? (["pipe"] as const) : [])],
      // Ctrl-C in a terminal goes to the whole group. The service decides when its commands end.
      detached: true,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const [report, , block]: unknown[] = child.stdio.slice(3);
    if (!(report instanceof Socket)) throw new Error("bubblewrap has no status");
    lowerPriority(child);
    let startProblem = "";
    const exit = once(child, "exit").catch((error: unknown) => {
      startProblem = String(error);
      report.destroy();
    });
    const { first, whole } = readReport(report);
    if (group !== undefined && block instanceof Socket) void startInGroup(group, first, block);
    const kill = async (): Promise<void> => {
      void group?.kill().catch(() => {});
      const pid = await first;
      // Killing bubblewrap alone would not say when the processes in the box are gone.
      if (pid !== undefined) signalTo(pid);
      else child.kill("SIGKILL");
    };
    return {
      pid: child.pid,
      stdout,
      stderr,
      status: whole,
      /** The reason why there is no process at all. */
      startProblem: () => startProblem,
      kill,
      ended: exit.then(async () => {
        // Processes that the command left in the background.
        const pid = await first;
        if (pid !== undefined) await goneAfterKill(pid);
      }),
    };
  } catch (error) {
    stdout.destroy();
    stderr.destroy();
    throw error;
  } finally {
    // Otherwise the pipes would never end.
    for (const fd of opened) closeSync(fd);
  }
}

/** The command starts when its first process is in the group; if it cannot be, the box ends. */
async function startInGroup(group: CommandGroup, first: Promise<number | undefined>, block: Socket) {
  block.on("error", () => {});
  const pid = await first;
  try {
    if (pid !== undefined) await group.add(pid);
  } catch {
    if (pid !== undefined) signalTo(pid);
  }
  block.end("1");
}

function commandLine({
  programs,
  limits,
  network,
  group,
  command,
  cwd,
  root,
  home,
  etc,
}: BoxOptions): string[] {
  const { maxProcesses, maxMemoryBytes, maxFileBytes } = limits;
  // A folder that is not there is the command's error.
  const enter = ["/bin/bash", "-c", 'cd -- "$1" && exec /bin/bash -c "$2"', "bash", cwd, command];
  const shell = cwd === homeDirectory ? ["/bin/bash", "-c", command] : enter;
  return [
    // Each process has these limits.
    `--nproc=${maxProcesses}`,
    `--data=${maxMemoryBytes}`,
    `--fsize=${maxFileBytes}`,
    "--core=0",
    "--nofile=1024",
    programs.bwrap,
    ...boxArguments({
      ...{ root, home, etc, tmpBytes, seccompFd: 4, statusFd: 3 },
      ...(group && { blockFd: 5 }),
      ...(network && { network }),
    }),
    "--",
    ...(network === undefined ? shell : [boxPaths.node, boxPaths.forwarder, ...shell]),
  ];
}

async function readAll(pipe: Socket, print: (part: string, bytes: number) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  for await (const chunk of pipe) if (chunk instanceof Buffer) print(decoder.write(chunk), chunk.length);
  print(decoder.end(), 0);
}

/** The process number of the box's first process, as soon as it exists, and the whole report at its end. */
function readReport(report: Socket) {
  let received = "";
  const first = Promise.withResolvers<number | undefined>();
  const whole = Promise.withResolvers<string>();
  report.setEncoding("utf8");
  report.on("data", (part: string) => {
    received += part;
    const found = /"child-pid":\s*(\d+)\s*,/.exec(received);
    if (found !== null) first.resolve(Number(found[1]));
  });
  report.on("error", () => {});
  report.once("close", () => {
    first.resolve(undefined);
    whole.resolve(received);
  });
  return { first: first.promise, whole: whole.promise };
}

function exitCodeIn(status: string): number | undefined {
  const found = /"exit-code":\s*(\d+)/.exec(status);
  return found === null ? undefined : Number(found[1]) & 0xff;
}

/** The first process of a PID namespace ends after all others in it. */
async function goneAfterKill(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // It has no parent left here that would collect it, if the service is the first process of a container.
    if (!stat.includes("(bwrap)") || /\) Z/.test(stat)) return;
    signalTo(pid);
    await sleep(2);
  }
}

function signalTo(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** The services of this machine have priority. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, lowPriority);
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
