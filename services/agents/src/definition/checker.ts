import { Reason } from "@muster/proto/errors";
import type { DefinitionSource, Diagnostic } from "@muster/protocol";
import { rpcError } from "@muster/rpc";
import { FairQueue, type Logger, QueueFullError } from "@muster/service";
import { CompileThread, type CompileTimeouts, NotStartedError, TooComplexError } from "./compile-thread.ts";
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

/**
 * Two threads, while each project has at most one definition in progress: slow definitions of one project never block
 * those of the others. A definition may have several MiB, so only a few may wait.
 */
const limits = { running: 2, runningPerOwner: 1, waiting: 128, waitingPerOwner: 64 };

/**
 * Compiles definitions of unknown origin off the main thread. A definition that overruns its time or the memory of
 * its thread is refused and the thread replaced, so the service itself never stalls.
 */
export function createDefinitionChecker(options: { log: Logger } & CompileTimeouts): DefinitionChecker {
  const { log, ...timeouts } = options;
  const threads = Array.from({ length: limits.running }, () => new CompileThread(timeouts));
  return new Checker(log, threads);
}

class Checker implements DefinitionChecker {
  readonly #log: Logger;
  readonly #threads: readonly CompileThread[];
  readonly #idle: CompileThread[];
  readonly #queue = new FairQueue(limits);
  #closed = false;

  constructor(log: Logger, threads: readonly CompileThread[]) {
    this.#log = log;
    this.#threads = threads;
    this.#idle = [...threads];
  }

  async check(projectId: string, source: DefinitionSource, signal: AbortSignal): Promise<CheckReply> {
    if (this.#closed) throw stopping();
    try {
      return await this.#queue.run(projectId, () => this.#answer(source, signal), { signal });
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw unavailable("Too many definitions are being checked. Try again.");
    }
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

  async #answer(source: DefinitionSource, signal: AbortSignal): Promise<CheckReply> {
    const thread = this.#idle.shift();
    if (thread === undefined) throw new Error("the compiler has fewer threads than its queue runs tasks");
    try {
      const reply = await this.#compile(thread, source);
      signal.throwIfAborted();
      return reply;
    } finally {
      // The most recently used thread is warm.
      this.#idle.unshift(thread);
    }
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
