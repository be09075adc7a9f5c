import { once } from "node:events";
import type { DefinitionSource, Diagnostic } from "@muster/language";
import type { MeasuredQueue } from "@muster/metrics";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { FairQueue, type Logger, QueueFullError } from "@muster/service";
import { type CompileLimits, CompileThread, NotStartedError, TooComplexError } from "./compile-thread.ts";
import type { CheckReply, CheckRequest } from "./messages.ts";

export interface DefinitionChecker {
  /**
   * The diagnostics of a definition and the workers that it declares. Throws UNAVAILABLE if too many definitions are
   * waiting, the machine is too busy to check it in time or the compiler does not start, and the signal's reason once it
   * is aborted: a caller that has gone costs nothing, and nothing is stored for it later.
   */
  check(
    projectId: string,
    source: DefinitionSource,
    signal: AbortSignal,
    mcpServers?: readonly string[],
  ): Promise<CheckReply>;
  /**
   * Resolves once the compiler has checked a definition, so that the first one of a user need not wait for it. Starts one
   * thread; the others start when two projects need one at the same time. Throws UNAVAILABLE.
   */
  warmUp(): Promise<void>;
  /** Whether the compiler could not start the last time. */
  readonly isBroken: boolean;
  /** The definitions that wait for a thread. */
  readonly queue: MeasuredQueue;
  /** Refuses waiting definitions and ends the threads. Safe to call twice. */
  close(): Promise<void>;
}

export interface CheckerOptions extends CompileLimits {
  log: Logger;
  /** How long a caller waits at most, in line and for the check. Less than its deadline. Default 12,000. */
  patienceMs?: number;
}

/**
 * Two threads, while each project has at most one definition in progress: slow definitions of one project never block
 * those of the others. Waiting definitions are counted in characters, because one may have 3 MiB.
 */
const limits = {
  running: 2,
  runningPerOwner: 1,
  waiting: 64 * 1024 * 1024,
  waitingPerOwner: 32 * 1024 * 1024,
};

/** The least that each waiting definition counts: its call needs memory as well. */
const minWeight = 16 * 1024;

/**
 * Compiles definitions of unknown origin off the main thread. A definition that exceeds its processor time or the
 * memory of its thread is refused and the thread replaced, so the service itself never stalls.
 */
export function createDefinitionChecker(options: CheckerOptions): DefinitionChecker {
  return new Checker(options);
}

class Checker implements DefinitionChecker {
  readonly #log: Logger;
  readonly #patienceMs: number;
  readonly #threads: readonly CompileThread[];
  readonly #idle: CompileThread[];
  readonly queue = new FairQueue(limits);
  isBroken = false;
  #warm: Promise<void> | undefined;
  #closed = false;

  constructor({ log, patienceMs = 12_000, ...compileLimits }: CheckerOptions) {
    this.#log = log;
    this.#patienceMs = patienceMs;
    this.#threads = Array.from({ length: limits.running }, () => new CompileThread(compileLimits));
    this.#idle = [...this.#threads];
  }

  async check(
    projectId: string,
    source: DefinitionSource,
    caller: AbortSignal,
    mcpServers?: readonly string[],
  ): Promise<CheckReply> {
    if (this.#closed) throw stopping();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(unavailable(tooBusy)), this.#patienceMs);
    const signal = AbortSignal.any([caller, late.signal]);
    try {
      // A check that is late keeps its thread until it ends: a new thread would need more of the scarce resource.
      return await Promise.race([
        this.queue.run(projectId, () => this.#answer({ source, mcpServers }, signal), {
          ...{ signal, weight: weightOf(source) },
        }),
        once(signal, "abort").then(() => Promise.reject(signal.reason)),
      ]);
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw unavailable("Too many definitions are being checked. Try again.");
    } finally {
      clearTimeout(timer);
      // Node keeps a combined signal with a listener in memory until it aborts.
      late.abort();
    }
  }

  warmUp(): Promise<void> {
    this.#warm ??= this.queue
      .run("", () => this.#answer({ source: smallest }, new AbortController().signal))
      .then(
        () => undefined,
        (error: unknown) => {
          this.#warm = undefined;
          // A service that stops while it starts closes the thread.
          if (!this.#closed) throw error;
        },
      );
    return this.#warm;
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Waiting jobs are refused when they are due; this makes them due now.
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #answer(request: CheckRequest, signal: AbortSignal): Promise<CheckReply> {
    const thread = this.#idle.shift();
    if (thread === undefined) throw new Error("the compiler has fewer threads than its queue runs tasks");
    try {
      await thread.start();
      this.isBroken = false;
      signal.throwIfAborted();
      return await thread.compile(request);
    } catch (error) {
      if (this.#closed) throw stopping();
      if (error instanceof NotStartedError) throw this.#notStarted(error);
      if (!(error instanceof TooComplexError)) throw error;
      this.#log.warn({ problem: error.message }, "a definition could not be checked; its thread is replaced");
      return { issues: [tooComplex], workers: [] };
    } finally {
      // The most recently used thread is warm.
      this.#idle.unshift(thread);
    }
  }

  #notStarted(error: NotStartedError) {
    this.isBroken = true;
    this.#log.error({ err: error }, "the compiler does not start");
    return unavailable("The compiler does not start. Try again.");
  }
}

function weightOf({ protocol, prompts, references }: DefinitionSource): number {
  const texts = [...prompts, ...references].map(({ content }) => content.length);
  return texts.reduce((sum, length) => sum + length, minWeight + protocol.length);
}

const smallest: DefinitionSource = {
  settings: { slug: "a", name: "A", format: "interactive" },
  protocol:
    "agent: { model: demo/echo }\ntriggers: { a: }\nhandlers: { a: { A: { block: next-message } } }\n",
  prompts: [],
  references: [],
};

const tooComplex: Diagnostic = {
  code: "INVALID_YAML",
  path: "protocol",
  message: "The definition takes too long to check. Make it smaller or simpler.",
  severity: "error",
};

const tooBusy = "The server is too busy to check the definition now. Try again.";

function stopping() {
  return unavailable("The service is stopping.");
}

function unavailable(message: string) {
  return rpcError(Reason.UNAVAILABLE, message, { retryAfterMs: 1_000 });
}
