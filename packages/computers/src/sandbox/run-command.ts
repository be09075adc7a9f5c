import type { JsonValue } from "@muster/language";
import type { CallOutcome, OutputChunk } from "../computer.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { commandResult, killedExitCode, readCommand, timeoutExitCode } from "./command-tool.ts";
import type { SandboxContext } from "./context.ts";
import type { SandboxLimits } from "./default-sandbox-limits.ts";
import { JobKilledError } from "./job-killed-error.ts";
import { OutputKeeper } from "./output-keeper.ts";
import type { JobResult } from "./runtime.ts";

export interface CommandInput {
  context: SandboxContext;
  agentId: string;
  blobs: BlobStore;
  manifest: Uint8Array;
  epoch: number;
  /** How long it waited for its place. */
  waitedMs: number;
  output(chunk: OutputChunk): void;
  signal: AbortSignal;
}

/** The outcome for the model, and the new manifest if files have changed. */
export interface CommandResult {
  outcome: CallOutcome;
  manifest?: Uint8Array;
}

/** A shorter wait is not worth the model's attention. */
const notableWaitMs = 5_000;

/** Runs a script on the computer's runtime. */
export async function runCommand(args: JsonValue, input: CommandInput): Promise<CommandResult> {
  const { command, cwd, timeoutMs } = readCommand(args);
  const { context, agentId, blobs, manifest, epoch, waitedMs, signal } = input;
  const { limits } = context;
  const startedMs = context.clock.monotonicMs();
  const show = (piece: Omit<OutputChunk, "atMs">) =>
    input.output({ ...piece, atMs: context.clock.monotonicMs() - startedMs });
  const kept = new OutputKeeper(limits.maxOutputBytes, show);
  const output = (stream: OutputChunk["stream"], text: string) => kept.add(stream, text);
  const job = { agentId, command, cwd, timeoutMs, epoch, manifest, blobs, output, signal };
  const end = await endOf(() => context.runtime.run(job));
  kept.end();
  if (end instanceof JobKilledError && (end.reason === "crashed" || end.reason === "broken")) {
    context.log.warn({ problem: end.message }, "the process of a sandbox broke");
  }
  const { exitCode, note: endNote } = describeEnd(end, { ...limits, timeoutMs });
  const note = [endNote, waitNote(waitedMs)].filter((part) => part !== undefined).join(" ");
  const result = commandResult({ exitCode, note }, kept, limits.maxResultBytes);
  const changed = !(end instanceof JobKilledError) && end.manifest !== undefined;
  return { outcome: { result }, ...(changed ? { manifest: end.manifest } : {}) };
}

async function endOf(run: () => Promise<JobResult>): Promise<JobResult | JobKilledError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof JobKilledError && error.reason !== "aborted") return error;
    throw error;
  }
}

function waitNote(waitedMs: number): string | undefined {
  if (waitedMs < notableWaitMs) return undefined;
  const seconds = Math.round(waitedMs / 1_000);
  return `The command waited ${seconds} seconds for its turn before it started, which do not count as its time: other agents were using the machine.`;
}

const dropped = "Its changes to files were dropped.";

type EndLimits = { timeoutMs: number } & Pick<SandboxLimits, "maxPrintedBytes" | "maxBytes">;

function describeEnd(
  end: JobResult | JobKilledError,
  { timeoutMs, maxPrintedBytes, maxBytes }: EndLimits,
): Omit<JobResult, "manifest"> {
  if (!(end instanceof JobKilledError)) return end;
  switch (end.reason) {
    case "timeout":
      return {
        exitCode: timeoutExitCode,
        note: `The command was stopped after ${timeoutMs / 1_000} seconds. ${dropped}`,
      };
    case "disk": {
      const mib = maxBytes / 1024 / 1024;
      return {
        exitCode: killedExitCode,
        note: `The command was stopped because it wrote more than ${mib} MiB, or too many files. ${dropped}`,
      };
    }
    case "memory":
      return {
        exitCode: killedExitCode,
        note: `The command was stopped because it used too much memory. ${dropped}`,
      };
    case "output": {
      const mib = maxPrintedBytes / 1024 / 1024;
      return {
        exitCode: killedExitCode,
        note: `The command was stopped because it printed more than ${mib} MiB. ${dropped}`,
      };
    }
    default:
      return {
        exitCode: killedExitCode,
        note: `The command broke the shell: too deep a recursion, or too much memory. ${dropped}`,
      };
  }
}
