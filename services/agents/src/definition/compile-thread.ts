import { Worker } from "node:worker_threads";
import { cpuSpent, threadCpuMs } from "@muster/service";
import { shipped } from "@muster/service/shipped";
import { type CheckReply, type CheckRequest, isCheckReply, isReady } from "./messages.ts";

/** The definition needs more processor time or memory than it may have. */
export class TooComplexError extends Error {}

const memoryLimitMb = 128;
/** The compiler could not be loaded. No definition is to blame. */
export class NotStartedError extends Error {}

/** Processor time of the thread, so that a busy machine makes no definition invalid. */
export interface CompileLimits {
  /** For one definition. */
  cpuMs: number;
  /** For loading the compiler, which needs a fraction of a second. Default 10,000. */
  startCpuMs?: number;
  /** How much a thread has had. Replaced by tests. */
  cpuMsOf?(worker: Worker): Promise<number>;
  /** The module that the thread runs. Replaced by tests. */
  program?: URL;
}

const defaults = {
  startCpuMs: 10_000,
  cpuMsOf: threadCpuMs,
  program: shipped("./compile-worker.ts", import.meta.url),
};

/**
 * A worker thread that compiles one definition at a time. If a definition exceeds its processor time or the thread's memory,
 * the next one gets a new thread.
 */
export class CompileThread {
  readonly #limits: Required<CompileLimits>;
  #current: StartedWorker | undefined;
  #closed = false;

  constructor(limits: CompileLimits) {
    this.#limits = { ...defaults, ...limits };
  }

  /** Loads the compiler, so that the first definition need not wait for it. Throws NotStartedError. */
  async start(): Promise<Worker> {
    const { worker, ready } = this.#begin();
    try {
      await ready;
      return worker;
    } catch (error) {
      await this.#drop();
      throw new NotStartedError("the compiler could not be loaded", { cause: error });
    }
  }

  /**
   * Must not be called again before it has replied. Throws TooComplexError if the definition is to blame, and
   * NotStartedError.
   */
  async compile(request: CheckRequest): Promise<CheckReply> {
    const worker = await this.start();
    try {
      const reply = this.#waitFor(worker, isCheckReply, this.#limits.cpuMs);
      worker.postMessage(request);
      return await reply;
    } catch (error) {
      await this.#drop();
      throw isTooComplex(error) ? new TooComplexError(error.message) : error;
    }
  }

  /** Ends the thread, also in the middle of a definition. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#drop();
  }

  #begin(): StartedWorker {
    if (this.#closed) throw new Error("the compiler's thread is closed");
    this.#current ??= this.#startWorker();
    return this.#current;
  }

  #startWorker(): StartedWorker {
    const worker = new Worker(this.#limits.program, {
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
    });
    const forget = () => {
      if (this.#current?.worker === worker) this.#current = undefined;
    };
    // A thread without a waiting caller does not keep the process alive, and its end is not a failure of the process.
    worker.unref();
    worker.on("error", forget).on("exit", forget);
    return { worker, ready: this.#waitFor(worker, isReady, this.#limits.startCpuMs) };
  }

  async #drop(): Promise<void> {
    const worker = this.#current?.worker;
    this.#current = undefined;
    await worker?.terminate();
  }

  /**
   * The next message of that kind. Throws OverrunError if the thread has had that much processor time before, or the error that
   * ends the thread.
   */
  async #waitFor<Message>(
    worker: Worker,
    isWanted: (message: unknown) => message is Message,
    cpuMs: number,
  ): Promise<Message> {
    const settled = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const onMessage = (message: unknown) => {
      if (isWanted(message)) resolve(message);
    };
    const onExit = () => reject(new Error("the compiler's thread has ended"));
    worker.on("message", onMessage).on("error", reject).on("exit", onExit);
    cpuSpent(cpuMs, () => this.#limits.cpuMsOf(worker), settled.signal).then(
      () => reject(new OverrunError(`took more than ${cpuMs} ms of processor time`)),
      () => undefined,
    );
    try {
      return await promise;
    } finally {
      settled.abort();
      worker.off("message", onMessage).off("error", reject).off("exit", onExit);
    }
  }
}

interface StartedWorker {
  worker: Worker;
  /** Resolves when definitions can be sent. */
  ready: Promise<unknown>;
}

class OverrunError extends Error {}

function isTooComplex(error: unknown): error is Error {
  if (error instanceof OverrunError) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
