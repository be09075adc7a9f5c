import type { JsonValue } from "@muster/language";
import type { CallOutcome, OutputChunk } from "../computer.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { readCommand, shownToModel } from "./command-tool.ts";
import type { SandboxContext } from "./context.ts";
import { OutputKeeper } from "./output-keeper.ts";
import { JobKilledError, type JobResult, runJob } from "./run-job.ts";

export interface CommandInput {
  context: SandboxContext;
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

/** Exit codes of shells: of `timeout`, and after SIGKILL. */
const timeoutExitCode = 124;
const killedExitCode = 137;

/** Runs a script in a process of its own. */
export async function runCommand(args: JsonValue, input: CommandInput): Promise<CommandResult> {
  const { command, cwd, timeoutMs } = readCommand(args);
  const { context, blobs, manifest, epoch, waitedMs, signal } = input;
  const { limits } = context;
  return await context.pool.run(async (shell) => {
    const startedMs = context.clock.monotonicMs();
    const show = (piece: Omit<OutputChunk, "atMs">) =>
      input.output({ ...piece, atMs: context.clock.monotonicMs() - startedMs });
    const kept = new OutputKeeper(limits.maxOutputBytes, show);
    const job = {
      command,
      cwd,
      timeoutMs,
      maxOutputBytes: limits.maxPrintedBytes,
      maxBytes: limits.maxBytes,
      maxEntries: limits.maxEntries,
      epoch,
      network: context.fetch !== undefined,
    };
    const end = await endOf(() =>
      runJob(shell, {
        job,
        manifest,
        blobs,
        limits,
        fetch: context.fetch,
        output: (stream, text) => kept.add(stream, text),
        signal,
      }),
    );
    kept.end();
    if (end instanceof JobKilledError && (end.reason === "crashed" || end.reason === "broken")) {
      context.log.warn({ problem: end.message }, "the process of a sandbox broke");
    }
    const shown = (stream: OutputChunk["stream"]) => shownToModel(kept.text(stream), limits.maxResultBytes);
    const { exitCode, note: endNote } = describeEnd(end, {
      timeoutMs,
      maxPrintedBytes: limits.maxPrintedBytes,
    });
    const note = [endNote, waitNote(waitedMs)].filter((part) => part !== undefined).join(" ");
    const result = {
      exitCode,
      stdout: shown("stdout"),
      stderr: shown("stderr"),
      ...(note === "" ? {} : { note }),
    };
    return { outcome: { result }, ...("manifest" in end ? { manifest: end.manifest } : {}) };
  }, signal);
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

function describeEnd(
  end: JobResult | JobKilledError,
  { timeoutMs, maxPrintedBytes }: { timeoutMs: number; maxPrintedBytes: number },
): { exitCode: number; note?: string } {
  if (!(end instanceof JobKilledError)) return { exitCode: end.exitCode };
  switch (end.reason) {
    case "timeout":
      return {
        exitCode: timeoutExitCode,
        note: `The command was stopped after ${timeoutMs / 1_000} seconds. ${dropped}`,
      };
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
