import type { OutputChunk } from "../computer.ts";
import type { BlobStore } from "../store/blob-store.ts";

/** A command of one computer, on the files of a manifest. */
export interface CommandJob {
  agentId: string;
  command: string;
  /** Absolute. */
  cwd: string;
  timeoutMs: number;
  /** The epoch of the files that the command writes. */
  epoch: number;
  manifest: Uint8Array;
  blobs: BlobStore;
  output(stream: OutputChunk["stream"], text: string): void;
  signal: AbortSignal;
}

export interface JobResult {
  exitCode: number;
  /** Absent if no file has changed. Its contents are on disk. */
  manifest?: Uint8Array;
  /** For the model. */
  note?: string;
}

/** Runs the commands of sandboxes. The files, the calls and their outcomes are the same for all of them. */
export interface SandboxRuntime {
  /** The release of the programs and of the layout of the file system. */
  readonly imageVersion: string;
  /** Sentences for the model about the programs and the network of a command. */
  readonly description: string;
  /** True if a command can have an effect outside of its computer. */
  readonly hasNetwork: boolean;
  /** The start of the paths that commands find. */
  readonly filesBelow: string;
  /** One line about the environment of commands. Rejects with an error that says what to do if none can run on this machine. */
  check(): Promise<string>;
  /** A command is likely to follow soon. */
  prepare(): void;
  /**
   * Runs a command; when it settles, none of its processes is left. Rejects with `JobKilledError`, or with the reason of
   * the signal.
   */
  run(job: CommandJob): Promise<JobResult>;
  /** The computer has been deleted. */
  forget(agentId: string): Promise<void>;
  /** Kills every process. */
  close(): Promise<void>;
}
