import { Worker } from "node:worker_threads";
import { Reason } from "@muster/proto/errors";
import type { DefinitionSource, Diagnostic } from "@muster/protocol";
import { rpcError } from "@muster/rpc";
import type { Logger } from "@muster/service";
import { type CheckReply, isCheckReply } from "./messages.ts";

export interface DefinitionChecker {
  /** All that is wrong with a definition; empty when it is fine. Throws UNAVAILABLE when too many are waiting. */
  errorsOf(source: DefinitionSource): Promise<readonly Diagnostic[]>;
  /** Refuses what waits and ends the worker. Safe to call twice. */
  close(): Promise<void>;
}

interface Job {
  source: DefinitionSource;
  resolve(errors: readonly Diagnostic[]): void;
  reject(error: Error): void;
}

const maxWaiting = 64;
const memoryLimitMb = 128;

/**
 * Compiles definitions of unknown origin in one worker thread, one after the other. A definition that overruns
 * its time or the memory of the thread is refused and the thread replaced, so the service itself never stalls.
 */
export function createDefinitionChecker(options: { log: Logger; timeoutMs: number }): DefinitionChecker {
  return new Checker(options.log, options.timeoutMs);
}

class Checker implements DefinitionChecker {
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #waiting: Job[] = [];
  #worker: Worker | undefined;
  #current: { job: Job; timer: NodeJS.Timeout } | undefined;
  #closed = false;

  constructor(log: Logger, timeoutMs: number) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  errorsOf(source: DefinitionSource): Promise<readonly Diagnostic[]> {
    if (this.#closed || this.#waiting.length >= maxWaiting) {
      return Promise.reject(unavailable("Too many definitions are being checked."));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ source, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stopping = unavailable("The service is stopping.");
    for (const job of [this.#endCurrent(), ...this.#waiting.splice(0)]) job?.reject(stopping);
    await this.#drop();
  }

  #next(): void {
    if (this.#current !== undefined || this.#closed) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#worker ??= this.#start();
    const timer = setTimeout(() => this.#refuse(`took longer than ${this.#timeoutMs} ms`), this.#timeoutMs);
    this.#current = { job, timer };
    this.#worker.postMessage(job.source);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./compile-worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
    });
    // A checker that nobody uses does not hold the process.
    worker.unref();
    worker.on("message", (reply: unknown) => {
      if (worker === this.#worker && isCheckReply(reply)) this.#finish(reply);
    });
    worker.on("error", (error) => {
      if (worker !== this.#worker) return;
      if (isOutOfMemory(error)) this.#refuse(error.message);
      else this.#fail(error);
    });
    return worker;
  }

  #finish({ errors }: CheckReply): void {
    this.#endCurrent()?.resolve(errors);
    this.#next();
  }

  /** The definition is at fault. */
  #refuse(problem: string): void {
    this.#log.warn({ problem }, "a definition could not be checked; the worker is replaced");
    this.#abandon();
    this.#finish({ errors: [tooComplex] });
  }

  /** We are at fault. */
  #fail(error: Error): void {
    this.#abandon();
    this.#endCurrent()?.reject(error);
    this.#next();
  }

  #endCurrent(): Job | undefined {
    const { job, timer } = this.#current ?? {};
    clearTimeout(timer);
    this.#current = undefined;
    return job;
  }

  #abandon(): void {
    this.#drop().catch((error: unknown) => this.#log.error({ err: error }, "the worker does not end"));
  }

  async #drop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

const tooComplex: Diagnostic = {
  code: "INVALID_YAML",
  path: "protocol",
  message: "The definition takes too long to check. Make it smaller or simpler.",
  severity: "error",
};

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

function unavailable(message: string) {
  return rpcError(Reason.UNAVAILABLE, message, { retryAfterMs: 1_000 });
}
