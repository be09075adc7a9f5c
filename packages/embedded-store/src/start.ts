import { Worker } from "node:worker_threads";
import type { WorkerMessage, WorkerOptions } from "./worker-protocol.ts";

export interface EmbeddedStoreOptions {
  /** Where the data lies. Made when missing. One server at a time. */
  readonly directory: string;
  /**
   * Listens on TCP, where every user of the machine can connect: the server has no authentication. Default: a
   * socket in the directory, for the directory's owner only, where the system and the length of the path allow it.
   */
  readonly host?: "127.0.0.1";
  /** Listens on this TCP port. Default 0: none, or a free one when TCP is used. */
  readonly port?: number;
  /** Gets a line for every fault. Default: none. */
  readonly log?: (line: string) => void;
  /** How often expired documents are removed. Default 60,000. */
  readonly sweepIntervalMs?: number;
}

export interface EmbeddedStore {
  /** For `new MongoClient(uri)`, which needs no options. The same after a restart, unless TCP took a free port. */
  readonly uri: string;
  /** Makes everything durable and closes the connections. May be called twice. */
  stop(): Promise<void>;
  /** Resolves when the store has ended: with the error when it failed, with undefined after `stop`. */
  readonly closed: Promise<Error | undefined>;
}

/**
 * Starts the store in a worker thread. Rejects when the directory is in use by another server or cannot be
 * opened, and when the port is taken.
 */
export async function startEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const log = options.log ?? (() => {});
  const port = options.port ?? 0;
  const workerData: WorkerOptions = {
    directory: options.directory,
    tcp: options.host !== undefined || port !== 0,
    host: options.host ?? "127.0.0.1",
    port,
    sweepIntervalMs: options.sweepIntervalMs ?? 60_000,
  };
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData });
  let failure: Error | undefined;
  const closed = new Promise<Error | undefined>((resolve) => worker.once("exit", () => resolve(failure)));
  const uri = await listening(worker, log);
  worker.on("error", (error: Error) => {
    failure = error;
    log(`the store's thread failed: ${error.stack ?? error.message}`);
  });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    if (!stopping) {
      worker.postMessage("stop");
      stopping = closed.then(() => {});
    }
    return stopping;
  };
  return { uri, stop, closed };
}

function listening(worker: Worker, log: (line: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "log") log(message.line);
      if (message.kind !== "listening") return;
      worker.off("error", reject);
      resolve(message.uri);
    });
  });
}
