import type { CallContext } from "./call-context.ts";
import { abortError } from "./handling.ts";

type Result<T> = IteratorResult<T, undefined>;

/**
 * The requests of a bidirectional call as its handler sees them, in either transport: each read pulls the source once, and a
 * read that waits fails when the call is aborted, and ends when the handler has.
 */
export class Requests<S, T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterator<S>;
  readonly #read: (sent: S) => T;
  readonly #context: CallContext;
  #waiting: PromiseWithResolvers<Result<T>> | undefined;
  #isOver = false;

  /** `read` makes the message that the handler receives. */
  constructor(source: AsyncIterable<S>, context: CallContext, read: (sent: S) => T) {
    this.#read = read;
    this.#source = source[Symbol.asyncIterator]();
    this.#context = context;
    context.signal.addEventListener("abort", () => this.#leave(), { once: true });
  }

  next(): Promise<Result<T>> {
    const { abortReason } = this.#context;
    if (abortReason !== undefined) return Promise.reject(abortError(abortReason));
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    // Readers that do not wait for one another take turns.
    if (this.#waiting !== undefined) return this.#waiting.promise.then(() => this.next());
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#source
      .next()
      .then(({ done, value }) =>
        done === true ? this.#end() : { done: false as const, value: this.#read(value) },
      )
      .then(
        (result) => this.#settle((by) => by.resolve(result)),
        (error) => this.#settle((by) => by.reject(error)),
      );
    return promise;
  }

  return(): Promise<Result<T>> {
    this.#leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): IteratorReturnResult<undefined> {
    this.#isOver = true;
    return { done: true, value: undefined };
  }

  #leave(): void {
    if (this.#isOver) return;
    const end = this.#end();
    const { abortReason } = this.#context;
    this.#settle((by) => (abortReason === undefined ? by.resolve(end) : by.reject(abortError(abortReason))));
    // The caller's source may fail after its call; nothing waits for it.
    this.#source.return?.().catch(() => undefined);
  }

  #settle(by: (waiting: PromiseWithResolvers<Result<T>>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) by(waiting);
  }
}
