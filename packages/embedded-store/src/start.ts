import { Worker } from "node:worker_threads";
import { shipped } from "@muster/service/shipped";
import { sourceStack } from "@muster/service/source-stack";
import type { WorkerMessage, WorkerOptions } from "./read-worker-options.ts";

export interface EmbeddedStoreOptions {
  /** Data directory, created if missing. Only one server can use it at a time. */
  readonly directory: string;
  /** The name of the setting that chose the directory, for messages. Default: `directory`. */
  readonly directorySetting?: string;
  /**
   * Listens on TCP, where every user of the machine can connect, without authentication. Default: a
   * socket in the directory, for its owner only, where the system and the path length allow it.
   */
  readonly host?: "127.0.0.1";
  /** TCP port to listen on. Default 0: no TCP, or a free port if TCP is needed. */
  readonly port?: number;
  /** Receives one line per fault. Default: discarded. */
  readonly log?: (line: string) => void;
  /** How often expired documents are removed. Default 60,000. */
  readonly sweepIntervalMs?: number;
}

export interface EmbeddedStore {
  /** For `new MongoClient(uri)` without options. Stable across restarts unless TCP uses a free port. */
  readonly uri: string;
  /**
   * The same, for clients in this process. The store responds as soon as it gets processor time, or ends, so the limits for
   * servers that may have gone would only fail operations because the machine is busy, and frequent heartbeats tell nothing.
   */
  readonly patientUri: string;
  /** Makes all writes durable and closes the connections. Safe to call twice. */
  stop(): Promise<void>;
  /** Resolves when the store has ended: with the error if it failed, with undefined after `stop`. */
  readonly closed: Promise<Error | undefined>;
}

const silenceMs = 60_000;
const patience = ["serverSelectionTimeoutMS", "connectTimeoutMS", "socketTimeoutMS", "heartbeatFrequencyMS"]
  .map((setting) => `&${setting}=${silenceMs}`)
  .join("");

/** By default, V8 frees short-lived objects of a busy thread only when they occupy 128 MiB. */
const maxYoungGenerationSizeMb = 48;

/** The store's thread, which loads its modules and opens nothing yet. */
export interface LoadedStore {
  readonly worker: Worker;
  /** Rejects if the thread fails. */
  readonly failed: Promise<never>;
  readonly ended: Promise<void>;
}

/** Loads the store's thread, so that this takes place while the caller loads other modules. */
export function loadEmbeddedStore(): LoadedStore {
  const worker = new Worker(shipped("./store-thread.ts", import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  const failed = new Promise<never>((_, reject) => worker.once("error", reject));
  failed.catch(() => {});
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  return { worker, failed, ended };
}

/**
 * Starts the store in a worker thread. Rejects if another server uses the directory, if it cannot be
 * opened, or if the port is in use.
 */
export async function startEmbeddedStore(
  options: EmbeddedStoreOptions,
  loaded: LoadedStore = loadEmbeddedStore(),
): Promise<EmbeddedStore> {
  const log = options.log ?? (() => {});
  const port = options.port ?? 0;
  const workerOptions: WorkerOptions = {
    directory: options.directory,
    directorySetting: options.directorySetting ?? "directory",
    tcp: options.host !== undefined || port !== 0,
    host: options.host ?? "127.0.0.1",
    port,
    sweepIntervalMs: options.sweepIntervalMs ?? 60_000,
  };
  const { worker, ended } = loaded;
  let failure: Error | undefined;
  const closed = ended.then(() => failure);
  worker.postMessage(workerOptions);
  const uri = await listening(loaded, log).catch(async (error: unknown) => {
    // The directory is in use until the thread has ended.
    await closed;
    throw error;
  });
  worker.on("error", (error: Error) => {
    failure = error;
    log(`the store's thread failed: ${sourceStack(error.stack ?? error.message)}`);
  });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    if (!stopping) {
      worker.postMessage("stop");
      stopping = closed.then(() => {});
    }
    return stopping;
  };
  return { uri, patientUri: uri + patience, stop, closed };
}

function listening({ worker, failed }: LoadedStore, log: (line: string) => void): Promise<string> {
  const uri = new Promise<string>((resolve) => {
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "log") log(message.line);
      if (message.kind === "listening") resolve(message.uri);
    });
  });
  return Promise.race([uri, failed]);
}
