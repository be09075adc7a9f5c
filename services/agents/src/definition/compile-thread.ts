import { Worker } from "node:worker_threads";
import type { DefinitionSource } from "@muster/protocol";
import { type CheckReply, isCheckReply, isReady } from "./messages.ts";

/** The definition needs more time or memory than it may have. */
export class TooComplexError extends Error {}

const memoryLimitMb = 128;
/** The compiler could not be loaded in time. No definition is to blame. */
export class NotStartedError extends Error {}

export interface CompileTimeouts {
  /** The limit for one definition. */
  timeoutMs: number;
  /** The limit for loading the compiler, which takes a fraction of a second unless the machine is busy. Default 10,000. */
  startTimeoutMs?: number;
}

/**
 * A worker thread that compiles one definition at a time. If a definition exceeds its time or the thread's memory,
 * the next one gets a new thread.
 */
export class CompileThread {
  readonly #timeouts: Required<CompileTimeouts>;
  #current: StartedWorker | undefined;
  #closed = false;

  constructor({ timeoutMs, startTimeoutMs = 10_000 }: CompileTimeouts) {
    this.#timeouts = { timeoutMs, startTimeoutMs };
  }

  /** Loads the compiler, so that the first definition need not wait for it. Throws NotStartedError. */
  async start(): Promise<Worker> {
    const { worker, ready } = this.#begin();
    try {
      await ready;
      return worker;
    } catch (error) {
      await this.#drop();
      throw error instanceof OverrunError ? new NotStartedError(error.message) : error;
    }
  }

  /**
   * Must not be called again before it has replied. Throws TooComplexError if the definition is to blame, and
   * NotStartedError.
   */
  async compile(source: DefinitionSource): Promise<CheckReply> {
    const worker = await this.start();
    try {
      const reply = waitFor(worker, isCheckReply, this.#timeouts.timeoutMs);
      worker.postMessage(source);
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
    this.#current ??= startWorker(this.#timeouts.startTimeoutMs, (ended) => {
      if (this.#current?.worker === ended) this.#current = undefined;
    });
    return this.#current;
  }

  async #drop(): Promise<void> {
    const worker = this.#current?.worker;
    this.#current = undefined;
    await worker?.terminate();
  }
}

interface StartedWorker {
  worker: Worker;
  /** Resolves when definitions can be sent. */
  ready: Promise<unknown>;
}

function startWorker(startTimeoutMs: number, onEnd: (worker: Worker) => void): StartedWorker {
  const worker = new Worker(new URL("./compile-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  });
  // A thread without a waiting caller does not keep the process alive, and its end is not a failure of the process.
  worker.unref();
  worker.on("error", () => onEnd(worker));
  worker.on("exit", () => onEnd(worker));
  return { worker, ready: waitFor(worker, isReady, startTimeoutMs) };
}

class OverrunError extends Error {}

/** The next message of that kind. Throws OverrunError after `timeoutMs`, or the error that ends the thread before. */
function waitFor<Message>(
  worker: Worker,
  isWanted: (message: unknown) => message is Message,
  timeoutMs: number,
): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      act();
    };
    const onMessage = (message: unknown) => {
      if (isWanted(message)) settle(() => resolve(message));
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => onError(new Error("the compiler's thread has ended"));
    const timer = setTimeout(() => onError(new OverrunError(`took more than ${timeoutMs} ms`)), timeoutMs);
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  });
}

function isTooComplex(error: unknown): error is Error {
  if (error instanceof OverrunError) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
