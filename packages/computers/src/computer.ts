import type { JsonSchema, JsonValue } from "@muster/language";

/** `sandbox` runs here, isolated. The others are machines of a user that dial in. */
export type ComputerKind = "sandbox" | "dedicated" | "mac" | "cli";

export type ComputerOs = "linux" | "windows" | "macos";

/** `paused` is stopped and resumes with the next run; `none` has not been created yet. */
export type ComputerState = "running" | "starting" | "paused" | "down" | "none";

/** Whose computer it is. */
export interface ComputerOwner {
  projectId: string;
  agentId: string;
  kind: ComputerKind;
  os: ComputerOs;
  /** `cmp_…`: a computer that several agents share. Absent: the agent has one of its own. */
  computerId?: string;
  /** For the user of the computer. */
  agentName?: string;
}

/** The computer's report about itself. */
export interface ComputerInfo {
  kind: ComputerKind;
  os: ComputerOs;
  /** Release of the software that executes the calls. */
  runtimeVersion: string | null;
  /** The origin of the file system and the programs: for a sandbox, the release of its shell. */
  imageVersion: string | null;
  region: string | null;
}

/** A tool that the computer offers to the model. Names of computers start with `shell__` or `files__`. */
export interface ComputerTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

export interface ComputerCall {
  /** Unique per agent and stored by the caller before it sends the call: a repeated id never executes twice. */
  id: string;
  /** The name of a tool in {@link Computer.tools}; any other name is answered with an error for the model. */
  name: string;
  /** Checked by the computer: wrong arguments are answered with an error for the model. */
  args: JsonValue;
  /** The caller's. An older one than the computer has seen is refused with {@link StaleEpochError}. */
  epoch: number;
  /** An earlier holder may have sent it, on this {@link Computer.connection} or a later one. */
  sentSince?: number;
}

/**
 * The outcome of a call. `error` is a sentence for the model: the tool could not do what was asked. A command that ran
 * and failed is a `result` with its exit code. `unknown`: the call may have had an effect, and nothing is known of it.
 */
export type CallOutcome = { result: JsonValue } | { error: string } | { unknown: true };

/** A piece of output, while the command runs. */
export interface OutputChunk {
  stream: "stdout" | "stderr";
  text: string;
  /** Since the command started. */
  atMs: number;
}

/** An entry of the computer's file system. */
export interface FileEntry {
  /** Absolute. */
  path: string;
  type: "file" | "directory" | "symlink";
  /** In bytes; 0 unless it is a file. */
  size: number;
  /** Permission bits. */
  mode: number;
  /** Milliseconds since 1970. */
  mtimeMs: number;
}

/**
 * A computer in the hands of one holder of its agent's slot. All methods reject with {@link StaleEpochError} for an old holder, and
 * with {@link ComputerElsewhereError} if the computer has connected to another process.
 */
export interface Computer {
  /** Fixed for the life of this object. */
  readonly tools: readonly ComputerTool[];

  /**
   * Rises with each connection of a computer that dials in; 0 for others. The caller stores it with the ids of calls: a computer
   * that has returned in an older state since then, or as another machine, does not execute them again.
   */
  readonly connection: number;

  /** Where files of messages are put, as the model writes it. */
  readonly filesFolder: string;

  /** Makes the computer ready for calls. Rejects with {@link ComputerUnreachableError}. Safe to call twice. */
  start(signal: AbortSignal): Promise<ComputerInfo>;

  /**
   * Executes a call once, or returns the stored outcome of an earlier one with this id. `output` receives what a command prints,
   * in order; nothing after the promise settles, and nothing for a stored outcome. If `signal` aborts, the command is killed
   * within a second, its effects on files are dropped, and the promise rejects with the signal's reason.
   */
  execute(
    call: ComputerCall,
    output: (chunk: OutputChunk) => void,
    signal: AbortSignal,
  ): Promise<CallOutcome>;

  /** Kills the call. Resolves when none of its processes is left, also if it is not running. */
  abort(callId: string): Promise<void>;

  /** Creates or replaces a file and its parent directories. Safe to repeat. A relative path starts at the home directory. */
  putFile(path: string, content: Uint8Array | AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;

  /** Rejects with {@link ComputerFileError} if the file does not exist. */
  readFile(path: string, signal: AbortSignal): Promise<Uint8Array>;

  /** The entries in a directory, sorted by path. Rejects with {@link ComputerFileError}, `isMissing` if it does not exist. */
  listFiles(path: string, signal: AbortSignal): Promise<FileEntry[]>;

  /** Keeps the files unchanged, and returns the id for {@link Computer.restore}. */
  snapshot(): Promise<string>;

  /** Replaces all files by those of a snapshot of this computer. Rejects with {@link ComputerFileError} if there is none. */
  restore(snapshotId: string): Promise<void>;

  /** Kills what runs. Files and outcomes stay. */
  stop(): Promise<void>;

  info(): ComputerInfo;

  state(): ComputerState;
}

/** All computers of a process. */
export interface Computers {
  /** The commands that wait for a place in this process, and for how long the first one has. */
  readonly commands: { readonly waiting: number; readonly oldestMs: number };

  /**
   * One line about the environment of commands. Rejects with an error that says what to do if this process cannot run the
   * commands of its computers.
   */
  check(): Promise<string>;

  /**
   * Takes the agent's computer over for `epoch`, creating it if it does not exist: from then on every older epoch is refused.
   * Rejects with {@link StaleEpochError} if a newer one has it, and, if it has to dial in and is not connected here, with
   * {@link ComputerElsewhereError} or {@link ComputerUnreachableError}.
   */
  open(owner: ComputerOwner, epoch: number): Promise<Computer>;

  /** Without opening it. */
  stateOf(owner: ComputerOwner): Promise<ComputerState>;

  /** The computer's own log of executed calls, oldest first; bounded. */
  history(projectId: string, agentId: string): Promise<ExecutedCall[]>;

  /** Deletes the computer with its files and snapshots. Nothing happens if there is none. */
  remove(projectId: string, agentId: string): Promise<void>;

  /** Kills everything that runs here. Computers that dial in connect to another process. */
  close(): Promise<void>;
}

/** A line of the computer's own log. */
export interface ExecutedCall {
  callId: string;
  epoch: number;
  startedAtMs: number;
  /** Absent if the call was killed, or if its process died. */
  stoppedAtMs?: number;
}
