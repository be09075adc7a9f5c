import type {
  CallOutcome,
  Computer,
  ComputerCall,
  ComputerInfo,
  ComputerOwner,
  ComputerState,
  ComputerTool,
  FileEntry,
  OutputChunk,
} from "../computer.ts";
import { ComputerFileError } from "../errors.ts";
import type { FileHolder } from "./file-transfers.ts";
import type { Machine, MachineConnection } from "./machine.ts";

const noSnapshots = "The computer belongs to a user, so the platform takes and restores no snapshots of it.";

/** A computer that dials in, in the hands of one run. Its commands and files are its user's. */
export class MachineComputer implements Computer {
  readonly tools: readonly ComputerTool[];
  readonly filesFolder = "files";
  readonly #machine: Machine;
  readonly #owner: ComputerOwner;
  readonly #holder: FileHolder;
  /** Its report with the connection that the run began to use. */
  #info: ComputerInfo;

  /** `connection`: the one that it has now. */
  constructor(machine: Machine, owner: ComputerOwner, epoch: number, connection: MachineConnection) {
    this.#machine = machine;
    this.#owner = owner;
    this.#holder = { agentId: owner.agentId, epoch };
    this.tools = connection.tools;
    this.#info = infoOf(owner, connection);
  }

  get connection(): number {
    return this.#machine.latestEpoch;
  }

  async start(signal: AbortSignal): Promise<ComputerInfo> {
    this.#claim();
    this.#info = infoOf(this.#owner, await this.#machine.connected(signal));
    return this.#info;
  }

  async execute(
    call: ComputerCall,
    output: (chunk: OutputChunk) => void,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const { agentId, agentName = "" } = this.#owner;
    return await this.#machine.execute({ agentId, agentName }, call, output, signal);
  }

  abort(callId: string): Promise<void> {
    const { agentId, epoch } = this.#holder;
    return this.#machine.abort(agentId, callId, epoch);
  }

  async putFile(
    path: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const { files } = await this.#connected(signal);
    await files.write(this.#holder, path, content instanceof Uint8Array ? [content] : content, signal);
  }

  async readFile(path: string, signal: AbortSignal): Promise<Uint8Array> {
    const { files } = await this.#connected(signal);
    return await files.read(this.#holder, path, signal);
  }

  async listFiles(path: string, signal: AbortSignal): Promise<FileEntry[]> {
    const { files } = await this.#connected(signal);
    return await files.list(this.#holder, path, signal);
  }

  snapshot(): Promise<string> {
    return Promise.reject(new ComputerFileError(noSnapshots));
  }

  restore(): Promise<void> {
    return Promise.reject(new ComputerFileError(noSnapshots));
  }

  stop(): Promise<void> {
    return this.#machine.abortAll(this.#holder.agentId);
  }

  info(): ComputerInfo {
    return this.#info;
  }

  state(): ComputerState {
    return this.#machine.connection === undefined ? "starting" : "running";
  }

  #claim(): void {
    this.#machine.claim(this.#holder.agentId, this.#holder.epoch);
  }

  #connected(signal: AbortSignal): Promise<MachineConnection> {
    this.#claim();
    return this.#machine.connected(signal);
  }
}

function infoOf({ kind }: ComputerOwner, { report }: MachineConnection): ComputerInfo {
  const { os, runtimeVersion, region } = report;
  return { kind, os, runtimeVersion, imageVersion: null, region };
}
