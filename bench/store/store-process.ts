import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Collection, type Document, MongoClient } from "mongodb";
import { pidOf, readMemoryBytes } from "../support/processes.ts";

/** The embedded store in a process of its own. */
export class StoreProcess {
  readonly #client: MongoClient;
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(child: ChildProcess, directory: string, uri: string) {
    this.#child = child;
    this.#directory = directory;
    this.#client = new MongoClient(uri, { maxPoolSize: 64 });
  }

  /** Starts that of a checkout. */
  static async start(checkout: string, directory: string): Promise<StoreProcess> {
    const child = fork(join(checkout, "packages/embedded-store/src/main.ts"), {
      env: { ...process.env, EMBEDDED_STORE_DIRECTORY: directory, PORT: "" },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    if (!child.stdout) throw new Error("The store's output is not a pipe");
    const [uri] = await once(child.stdout, "data");
    return new StoreProcess(child, directory, String(uri).trim());
  }

  items<Item extends Document>(name: string): Collection<Item> {
    return this.#client.db("bench").collection<Item>(name);
  }

  /** After SIGKILL, the next start checks the data. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    await this.#client.close();
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }

  /** Whether a check of the data is necessary or running. */
  get isUnchecked(): boolean {
    return existsSync(join(this.#directory, "store.unchecked"));
  }

  get logBytes(): number {
    return statSync(join(this.#directory, "store.sqlite-wal")).size;
  }

  get dataBytes(): number {
    return statSync(join(this.#directory, "store.sqlite")).size;
  }

  memoryBytes(): Promise<number> {
    return readMemoryBytes(pidOf(this.#child));
  }
}
