import { FetchProblem } from "./fetch-problem.ts";

/** Ends everything that belongs to one fetch: at its deadline, when the caller aborts, and when it is done with. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.signal = signal === undefined ? this.#own.signal : AbortSignal.any([signal, this.#own.signal]);
    this.#timer = setTimeout(() => this.#own.abort(tooSlow()), timeoutMs);
  }

  /** From now on, only the caller ends it. */
  lift(): void {
    clearTimeout(this.#timer);
  }

  /** Closes what is still open. */
  end(): void {
    clearTimeout(this.#timer);
    this.#own.abort(new FetchProblem("unreachable", "The fetch has ended."));
  }
}

export function tooSlow(cause?: unknown): FetchProblem {
  return new FetchProblem("too-slow", "The server took too long.", { cause });
}
