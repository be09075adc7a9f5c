import { Reason } from "@muster/proto/errors";
import type { DefinitionSource, Diagnostic } from "@muster/protocol";
import { rpcError } from "@muster/rpc";
import type { Logger } from "@muster/service";
import { CompileThread, type CompileTimeouts, NotStartedError, TooComplexError } from "./compile-thread.ts";
import { FairQueue } from "./fair-queue.ts";
import type { CheckReply } from "./messages.ts";

export interface DefinitionChecker {
  /**
   * The diagnostics of a definition and the workers that it declares. Throws UNAVAILABLE if too many
   * definitions are waiting or the compiler does not start, and the signal's reason once it is aborted: a caller
   * that has gone costs nothing, and nothing is stored for it later.
   */
  check(projectId: string, source: DefinitionSource, signal: AbortSignal): Promise<CheckReply>;
  /**
   * Starts one thread, so that the first definition need not wait for it; the others start when two projects need one at
   * the same time. Never rejects.
   */
  warmUp(): Promise<void>;
  /** Refuses waiting definitions and ends the threads. Safe to call twice. */
  close(): Promise<void>;
}

interface Job {
  source: DefinitionSource;
  signal: AbortSignal;
  resolve(reply: CheckReply): void;
  reject(error: unknown): void;
}

/** A definition may have several MiB, so only a few may wait. */
const limits = { perOwner: 64, inAll: 128 };

/**
 * Two, while each project has at most one definition in progress: slow definitions of one project never block
 * those of the others.
 */
const threadCount = 2;

/**
 * Compiles definitions of unknown origin off the main thread. A definition that overruns its time or the memory of
 * its thread is refused and the thread replaced, so the service itself never stalls.
 */
export function createDefinitionChecker(options: { log: Logger } & CompileTimeouts): DefinitionChecker {
  const { log, ...timeouts } = options;
  const threads = Array.from({ length: threadCount }, () => new CompileThread(timeouts));
  return new Checker(log, threads);
}

class Checker implements DefinitionChecker {
  readonly #log: Logger;
  readonly #threads: readonly CompileThread[];
  readonly #idle: CompileThread[];
  readonly #queue = new FairQueue<Job>(limits);
  #closed = false;

  constructor(log: Logger, threads: readonly CompileThread[]) {
    this.#log = log;
    this.#threads = threads;
    this.#idle = [...threads];
  }

  check(projectId: string, source: DefinitionSource, signal: AbortSignal): Promise<CheckReply> {
    return new Promise((resolve, reject) => {
      const accepted = !this.#closed && this.#queue.push(projectId, { source, signal, resolve, reject });
      if (accepted) this.#next();
      else reject(unavailable("Too many definitions are being checked. Try again."));
    });
  }

  async warmUp(): Promise<void> {
    try {
      await this.#threads[0]?.start();
    } catch (error) {
      // A start of the service that fails closes the thread while it starts.
      if (!this.#closed) this.#log.error({ err: error }, "the compiler does not start");
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Waiting jobs are refused when their turn comes; this makes it come now.
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #next(): void {
    const thread = this.#idle[0];
    const next = thread && this.#queue.take();
    if (thread === undefined || next === undefined) return;
    this.#idle.shift();
    const { owner, item: job } = next;
    this.#answer(thread, job)
      .then(job.resolve, job.reject)
      .finally(() => {
        this.#queue.done(owner);
        // The most recently used thread is warm.
        this.#idle.unshift(thread);
        this.#next();
      });
    this.#next();
  }

  async #answer(thread: CompileThread, { source, signal }: Job): Promise<CheckReply> {
    signal.throwIfAborted();
    const reply = await this.#compile(thread, source);
    signal.throwIfAborted();
    return reply;
  }

  async #compile(thread: CompileThread, source: DefinitionSource): Promise<CheckReply> {
    try {
      return await thread.compile(source);
    } catch (error) {
      if (this.#closed) throw stopping();
      if (error instanceof NotStartedError) throw unavailable("The compiler does not start. Try again.");
      if (!(error instanceof TooComplexError)) throw error;
      this.#log.warn({ problem: error.message }, "a definition could not be checked; its thread is replaced");
      return { issues: [tooComplex], workers: [] };
    }
  }
}

const tooComplex: Diagnostic = {
  code: "INVALID_YAML",
  path: "protocol",
  message: "The definition takes too long to check. Make it smaller or simpler.",
  severity: "error",
};

function stopping() {
  return unavailable("The service is stopping.");
}

function unavailable(message: string) {
  return rpcError(Reason.UNAVAILABLE, message, { retryAfterMs: 1_000 });
}
