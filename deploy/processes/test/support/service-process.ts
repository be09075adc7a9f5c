import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { programEnvironment } from "@muster/testing";

export interface ProcessOptions {
  /** For messages. */
  name: string;
  /** The program and its arguments. */
  command: readonly [string, ...string[]];
  /** Its whole environment, except for `PATH` and the folder of compiled modules. */
  env?: Record<string, string>;
}

const running = new Set<ChildProcess>();

/** A child process. It never outlives this one, unless this one is killed with SIGKILL. */
export class ServiceProcess {
  readonly name: string;
  readonly startedAtMs = performance.now();
  readonly #child: ChildProcess;
  readonly #changed = new EventEmitter();
  #output = "";
  #ended = false;

  constructor({ name, command: [program, ...programArguments], env = {} }: ProcessOptions) {
    this.name = name;
    endWithThisProcess();
    this.#child = spawn(program, programArguments, {
      env: { ...programEnvironment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(this.#child);
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#add(chunk.toString()));
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#add(chunk.toString()));
    this.#child.once("error", (error) => this.#end(`${error.message}\n`));
    // Emitted after the last output, unlike "exit".
    this.#child.once("close", () => this.#end());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Standard output and error so far. */
  get output(): string {
    return this.#output;
  }

  /** The first group of the pattern, as soon as it is printed. Rejects if the process ends or time runs out. */
  async printed(pattern: RegExp, withinMs = 150_000): Promise<string> {
    const signal = AbortSignal.timeout(withinMs);
    for (;;) {
      const match = this.#output.match(pattern);
      if (match) return match[1] ?? match[0];
      if (this.#ended) throw new Error(`${this.name} ended without printing ${pattern}: ${this.#output}`);
      await once(this.#changed, "change", { signal }).catch(() => {
        throw new Error(`${this.name} did not print ${pattern} within ${withinMs} ms: ${this.#output}`);
      });
    }
  }

  /** The exit code, once it has ended; null if a signal ended it. */
  async ended(withinMs = 120_000): Promise<number | null> {
    const signal = AbortSignal.timeout(withinMs);
    while (!this.#ended) await once(this.#changed, "change", { signal });
    return this.#child.exitCode;
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#ended) this.#child.kill(signal);
  }

  #add(text: string): void {
    this.#output += text;
    this.#changed.emit("change");
  }

  #end(problem = ""): void {
    this.#ended = true;
    running.delete(this.#child);
    this.#add(problem);
  }
}

let isWatching = false;

function endWithThisProcess(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("exit", () => {
    for (const child of running) child.kill("SIGKILL");
  });
  // By default these end the process without "exit".
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}
