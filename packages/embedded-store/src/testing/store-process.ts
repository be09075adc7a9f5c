import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MongoClient } from "mongodb";

/** A store in a process of its own, for measurements. */
export class StoreProcess {
  readonly client: MongoClient;
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(child: ChildProcess, directory: string, uri: string) {
    this.#child = child;
    this.#directory = directory;
    this.client = new MongoClient(uri, { maxPoolSize: 64 });
  }

  /** Starts `src/main.ts` of a checkout of this package. */
  static async start(checkout: string, directory: string): Promise<StoreProcess> {
    const child = fork(join(checkout, "src/main.ts"), {
      env: { ...process.env, EMBEDDED_STORE_DIRECTORY: directory, PORT: "" },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    if (!child.stdout) throw new Error("the store's output is not a pipe");
    const [uri] = await once(child.stdout, "data");
    return new StoreProcess(child, directory, String(uri).trim());
  }

  /** With SIGKILL, the next start checks the data. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    await this.client.close();
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

  async residentMib(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  async cpuSeconds(): Promise<number> {
    const stat = (await readFile(`/proc/${this.#child.pid}/stat`, "utf8")).split(" ");
    return (Number(stat[13]) + Number(stat[14])) / 100;
  }
}
