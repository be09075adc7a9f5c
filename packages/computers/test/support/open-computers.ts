import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, silentLogger, systemClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { type TestScope, temporaryDirectory } from "@muster/testing";
import { describe } from "vitest";
import type { Computer, ComputerOwner, Computers, OutputChunk } from "../../src/computer.ts";
import type { ComputersConfig } from "../../src/config.ts";
import { type ComputersOptions, createComputers } from "../../src/create-computers.ts";

export const owner: ComputerOwner = { projectId: "prj_1", agentId: "agt_1", kind: "sandbox", os: "linux" };
export const never = new AbortController().signal;

/** Both pass the same tests. */
export type Runtime = "simulated" | "bubblewrap";

/** Defines tests for each runtime. They get their computers from the functions that they are called with. */
export function onEachRuntime(define: (on: ReturnType<typeof openersOf>) => void): void {
  describe("on the simulated shell,", () => define(openersOf("simulated")));
  describe.skipIf(process.platform !== "linux")("on bubblewrap,", () => define(openersOf("bubblewrap")));
}

export function openersOf(runtime: Runtime) {
  return {
    runtime,
    openComputers: (t: TestScope, more: MoreOptions = {}) => openComputers(t, more, runtime),
    openComputer: (t: TestScope, more: MoreOptions = {}, epoch = 1) => openComputer(t, more, epoch, runtime),
    configOf: (directory: string, allowedHosts: string[] = []) => configOf(directory, allowedHosts, runtime),
  };
}

type MoreOptions = Partial<ComputersOptions> & { log?: Logger };

function configOf(directory: string, allowedHosts: readonly string[], runtime: Runtime): ComputersConfig {
  const blobsDirectory = join(directory, "blobs");
  if (runtime === "simulated") return { blobsDirectory, allowedHosts };
  const homesDirectory = join(directory, "homes");
  const uids = process.getuid?.() === 0 ? { uids: { first: 200_000, last: 200_099 } } : {};
  const bubblewrap = { root: "/", homesDirectory, maxHomeBytes: 256 * 1024 * 1024, ...uids };
  return { blobsDirectory, allowedHosts, bubblewrap };
}

export interface TestComputers {
  computers: Computers;
  /** Another process on the same store and disk. */
  another(more?: Partial<ComputersOptions>): Computers;
  directory: string;
}

/** Computers on a store and a folder of their own, closed after the test. */
export async function openComputers(
  t: TestScope,
  more: MoreOptions = {},
  runtime: Runtime = "simulated",
): Promise<TestComputers> {
  const { db } = await openTestStore(t);
  const directory = await temporaryDirectory(t);
  // The users of sandboxes must reach their home directories.
  await chmod(directory, 0o711);
  const another = (changes: Partial<ComputersOptions> = {}) => {
    const computers = createComputers({
      db,
      config: configOf(directory, [], runtime),
      clock: systemClock,
      log: silentLogger,
      spareProcess: false,
      ...more,
      ...changes,
    });
    t.onTestFinished(() => computers.close());
    return computers;
  };
  return { computers: another(), another, directory };
}

let lastCall = 0;

/** A computer with a short way to run a script: each with a new call id, unless one is given. */
export async function openComputer(
  t: TestScope,
  more: MoreOptions = {},
  epoch = 1,
  runtime: Runtime = "simulated",
) {
  const opened = await openComputers(t, more, runtime);
  return { ...opened, ...(await holdComputer(opened.computers, epoch)) };
}

export async function holdComputer(computers: Computers, epoch: number, who = owner) {
  const computer = await computers.open(who, epoch);
  await computer.start(never);
  return { computer, ...shortcuts(computer, epoch) };
}

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  note?: string;
}

function shortcuts(computer: Computer, epoch: number) {
  const call = (name: string, args: Record<string, string | number | boolean>, id = `call_${++lastCall}`) =>
    computer.execute({ id, name, args, epoch }, () => {}, never);
  return {
    call,
    /** The result of a script; rejects if there is none. */
    async run(
      command: string,
      { id = `call_${++lastCall}`, signal = never, chunks = [] as OutputChunk[], ...args }: RunOptions = {},
    ): Promise<CommandResult> {
      const request = { id, name: "shell__run_command", args: { command, ...args }, epoch };
      const outcome = await computer.execute(request, (chunk) => chunks.push(chunk), signal);
      if (!("result" in outcome)) throw new Error(`no result: ${JSON.stringify(outcome)}`);
      return readResult(outcome.result);
    },
  };
}

interface RunOptions {
  id?: string;
  signal?: AbortSignal;
  /** Receives the output. */
  chunks?: OutputChunk[];
  timeoutSeconds?: number;
  cwd?: string;
}

function readResult(value: unknown): CommandResult {
  if (typeof value !== "object" || value === null) throw new Error("not a result");
  const { exitCode, stdout, stderr, note } = {
    exitCode: -1,
    stdout: "",
    stderr: "",
    note: undefined,
    ...value,
  };
  if (note !== undefined) return { exitCode, stdout, stderr, note: String(note) };
  return { exitCode, stdout, stderr };
}
