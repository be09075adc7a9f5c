import type { JsonValue } from "@muster/language";
import type {
  CallOutcome,
  Computer,
  ComputerCall,
  ComputerInfo,
  ComputerState,
  FileEntry,
  OutputChunk,
} from "../computer.ts";
import { ComputerFileError, StaleEpochError } from "../errors.ts";
import { homeDirectory } from "../files/limits.ts";
import { loadVolume, saveVolume, VolumeFullError } from "../files/load.ts";
import { ManifestError } from "../files/manifest.ts";
import { userPath } from "../files/user-path.ts";
import { VolumeError } from "../files/volume-error.ts";
import { BlobError, type BlobStore } from "../store/blob-store.ts";
import type { Holder, Publication } from "../store/computer-store.ts";
import type { ComputerDocument, LogLine } from "../store/documents.ts";
import { ArgumentError } from "../tools/arguments.ts";
import { computerTools } from "../tools/definitions.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { timeoutOf } from "./command-tool.ts";
import type { SandboxContext } from "./context.ts";
import { entriesIn, type FileAccess, listTool, readTool, storeFile, writeTool } from "./file-tools.ts";
import { keepOutcome, recallOutcome } from "./outcomes.ts";
import { type CommandInput, type CommandResult, runCommand } from "./run-command.ts";
import { runtimeVersion } from "./versions.ts";

/** Between two clean-ups of one holder. */
const changesPerCleanup = 100;

type FileTool = "files__read" | "files__write" | "files__list";

interface RunningCall {
  controller: AbortController;
  outcome: Promise<CallOutcome>;
}

/** A computer whose files are in a blob store, and whose commands run on the runtime of this process. */
export class Sandbox implements Computer {
  readonly tools;
  readonly connection = 0;
  readonly filesFolder = "~/files";
  readonly #context: SandboxContext;
  readonly #holder: Holder;
  readonly #blobs: BlobStore;
  readonly #running = new Map<string, RunningCall>();
  #started = false;
  /** Starts high: a new holder cleans up what its predecessors left. */
  #changes = changesPerCleanup;

  constructor(context: SandboxContext, holder: Holder) {
    this.#context = context;
    this.#holder = holder;
    this.#blobs = context.blobsOf(holder.agentId);
    this.tools = computerTools(context.runtime.description, homeDirectory);
  }

  async start(signal: AbortSignal): Promise<ComputerInfo> {
    signal.throwIfAborted();
    await this.#context.store.read(this.#holder);
    this.#started = true;
    this.#context.runtime.prepare();
    return this.info();
  }

  execute(
    call: ComputerCall,
    output: (chunk: OutputChunk) => void,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    if (call.epoch !== this.#holder.epoch) {
      return Promise.reject(new StaleEpochError(this.#holder.agentId, call.epoch));
    }
    const running = this.#running.get(call.id);
    if (running !== undefined) return running.outcome;
    const controller = new AbortController();
    const either = AbortSignal.any([signal, controller.signal]);
    let isOpen = true;
    const show = (chunk: OutputChunk) => {
      if (isOpen) output(chunk);
    };
    const outcome = this.#inTurn(() => this.#carryOut(call, show, either), either).finally(() => {
      isOpen = false;
      this.#running.delete(call.id);
    });
    this.#running.set(call.id, { controller, outcome });
    return outcome;
  }

  async abort(callId: string): Promise<void> {
    const running = this.#running.get(callId);
    if (running === undefined) return;
    running.controller.abort(new DOMException("The call was aborted.", "AbortError"));
    await running.outcome.catch(() => {});
  }

  async putFile(
    path: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const chunks = content instanceof Uint8Array ? [content] : content;
    await this.#withFiles(signal, async (access, document) => {
      await storeFile(access, userPath(path), abortable(chunks, signal));
      await this.#publish(document, { manifest: await this.#saved(access) });
    });
  }

  readFile(path: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.#withFiles(signal, async ({ volume }) => {
      const { stored } = volume.file(userPath(path));
      return stored === undefined ? new Uint8Array(0) : await this.#blobs.readAll(stored.blob);
    });
  }

  listFiles(path: string, signal: AbortSignal): Promise<FileEntry[]> {
    return this.#withFiles(signal, async ({ volume, limits }) =>
      entriesIn(volume, userPath(path), false, limits.maxEntries).map(({ path: found, node }) => ({
        path: found,
        type: node.type,
        size: node.type === "file" ? node.size : 0,
        mode: node.mode,
        mtimeMs: node.mtimeMs,
      })),
    );
  }

  snapshot(): Promise<string> {
    return this.#withFiles(undefined, async (access, document) => {
      const id =
        document.manifest ?? (await this.#publish(document, { manifest: await this.#saved(access) }));
      if (id === null) throw new Error("the computer has no manifest");
      const exists = document.snapshots.some((snapshot) => snapshot.id === id);
      if (!exists) await this.#context.store.addSnapshot(this.#holder, id);
      return id;
    });
  }

  restore(snapshotId: string): Promise<void> {
    return this.#inTurn(async () => {
      const document = await this.#context.store.read(this.#holder);
      if (!document.snapshots.some(({ id }) => id === snapshotId)) {
        throw new ComputerFileError("This computer has no such snapshot.");
      }
      await this.#publish(document, { manifest: snapshotId });
    });
  }

  async stop(): Promise<void> {
    this.#started = false;
    await Promise.all([...this.#running.keys()].map((id) => this.abort(id)));
  }

  info(): ComputerInfo {
    const { imageVersion } = this.#context.runtime;
    return { kind: "sandbox", os: "linux", runtimeVersion, imageVersion, region: null };
  }

  state(): ComputerState {
    return this.#started ? "running" : "paused";
  }

  #inTurn<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#context.turns.run(this.#holder.agentId, task, signal && { signal });
  }

  /** The one place that decides whether a call is carried out. */
  async #carryOut(
    call: ComputerCall,
    output: (chunk: OutputChunk) => void,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const document = await this.#context.store.read(this.#holder);
    const known = document.outcomes.find(({ id }) => id === call.id);
    if (known !== undefined) return await recallOutcome(this.#blobs, known);
    if (mayHaveHadEffects(document, call.id)) {
      return await this.#settle(document, call, { outcome: { unknown: true } });
    }
    await this.#cleanUpIfDue(document);
    return await this.#settle(document, call, await this.#inPlace(document, call, output, signal));
  }

  /** A call begins when it has its place: one that is lost while it waits has had no effects. */
  async #inPlace(
    document: ComputerDocument,
    call: ComputerCall,
    output: (chunk: OutputChunk) => void,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    const isCommand = call.name === "shell__run_command";
    const begin = async (waitedMs: number) => {
      const network = isCommand && this.#context.runtime.hasNetwork;
      await this.#context.store.begin(this.#holder, { ...this.#line(call.id, "start"), network });
      return await this.#attempt(document, call, { output, signal, waitedMs });
    };
    if (!isCommand) return await begin(0);
    const { projectId, agentId } = this.#holder;
    const timeoutMs = timeoutOf(call.args);
    return await this.#context.places.run({ projectId, agentId, timeoutMs }, begin, signal);
  }

  async #settle(
    document: ComputerDocument,
    call: ComputerCall,
    { outcome, manifest }: CommandResult,
  ): Promise<CallOutcome> {
    const kept = await keepOutcome(this.#blobs, this.#holder.epoch, call.id, outcome);
    const stored = manifest === undefined ? {} : { manifest: await this.#put(manifest) };
    await this.#publish(document, { ...stored, outcome: kept, log: this.#line(call.id, "stop") });
    return outcome;
  }

  /**
   * A mistake that the model can correct is an outcome; one that a newer holder explains, or the platform must repair,
   * is thrown.
   */
  async #attempt(
    document: ComputerDocument,
    call: ComputerCall,
    running: Pick<CommandInput, "output" | "signal" | "waitedMs">,
  ): Promise<CommandResult> {
    try {
      const manifest = await this.#manifestOf(document);
      if (call.name === "shell__run_command") {
        const { agentId, epoch } = this.#holder;
        const input = { context: this.#context, agentId, blobs: this.#blobs, manifest, epoch, ...running };
        return await runCommand(call.args, input);
      }
      if (!isFileTool(call.name)) return { outcome: { error: `This computer has no tool ${call.name}.` } };
      return await this.#useFiles(call.name, call.args, await this.#access(manifest));
    } catch (error) {
      running.signal.throwIfAborted();
      return { outcome: { error: await this.#explain(error) } };
    }
  }

  async #useFiles(name: FileTool, args: JsonValue, access: FileAccess): Promise<CommandResult> {
    const { result, changed } = await fileTools[name](args, access);
    return { outcome: { result }, ...(changed ? { manifest: await saveVolume(access.volume) } : {}) };
  }

  /** The sentence for the model; rethrows what it cannot do anything about. */
  async #explain(error: unknown): Promise<string> {
    if (error instanceof ArgumentError || error instanceof VolumeError) return error.message;
    if (error instanceof VolumeFullError)
      return `${error.message} The command's changes to files were dropped.`;
    // A newer holder deletes contents that only this one's view of the files still names.
    await this.#context.store.read(this.#holder);
    if (!(error instanceof BlobError) && !(error instanceof ManifestError)) throw error;
    this.#context.log.error({ err: error, agentId: this.#holder.agentId }, "files of a computer are damaged");
    return `The files of this computer are damaged. ${error.message}`;
  }

  /** For a caller other than the model. */
  #withFiles<T>(
    signal: AbortSignal | undefined,
    work: (access: FileAccess, document: ComputerDocument) => Promise<T>,
  ): Promise<T> {
    return this.#inTurn(async () => {
      const document = await this.#context.store.read(this.#holder);
      try {
        return await work(await this.#access(await this.#manifestOf(document)), document);
      } catch (error) {
        if (error instanceof VolumeError || error instanceof ArgumentError)
          throw new ComputerFileError(error.message, {
            isMissing: "code" in error && error.code === "ENOENT",
          });
        throw error;
      }
    }, signal);
  }

  async #access(manifest: Uint8Array): Promise<FileAccess> {
    const { clock, limits, runtime } = this.#context;
    const now = () => clock.now();
    const volume = await loadVolume(manifest, now, limits);
    const { filesBelow } = runtime;
    return { volume, blobs: this.#blobs, epoch: this.#holder.epoch, filesBelow, limits, now };
  }

  async #manifestOf({ manifest }: ComputerDocument): Promise<Uint8Array> {
    return manifest === null ? new Uint8Array(0) : await this.#blobs.readAll(manifest);
  }

  async #saved({ volume }: FileAccess): Promise<string> {
    return await this.#put(await saveVolume(volume));
  }

  #put(content: Uint8Array): Promise<string> {
    return this.#blobs.put(content, this.#holder.epoch);
  }

  /** Returns the manifest that is in force then. */
  async #publish(document: ComputerDocument, change: Omit<Publication, "base">): Promise<string | null> {
    await this.#context.store.publish(this.#holder, { base: document.manifest, ...change });
    this.#changes++;
    return change.manifest ?? document.manifest;
  }

  #line(callId: string, step: LogLine["step"]): LogLine {
    return { callId, epoch: this.#holder.epoch, step, at: new Date(this.#context.clock.now()) };
  }

  async #cleanUpIfDue(document: ComputerDocument): Promise<void> {
    if (this.#changes < changesPerCleanup) return;
    this.#changes = 0;
    try {
      await collectGarbage(this.#blobs, document);
    } catch (error) {
      this.#context.log.warn({ err: error, agentId: this.#holder.agentId }, "old files of a computer remain");
    }
  }
}

const fileTools = { files__read: readTool, files__write: writeTool, files__list: listTool } as const;

function isFileTool(name: string): name is FileTool {
  return Object.hasOwn(fileTools, name);
}

/**
 * True if the call began, its outcome was not stored, and it could reach the network. Without a network, all that it did was in files
 * that were dropped with its process, so running it again repeats nothing.
 */
function mayHaveHadEffects({ log }: ComputerDocument, callId: string): boolean {
  return log.some((line) => line.callId === callId && line.step === "start" && line.network === true);
}

async function* abortable(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}
