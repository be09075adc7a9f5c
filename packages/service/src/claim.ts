import { setTimeout } from "node:timers/promises";

/**
 * Why claimed work stops before its end. `lost`: another process has the work, and this one may write nothing more.
 * `cancelled`: its owner has ended it. `draining`: this process stops, and another one continues.
 */
export type StopCause = "lost" | "cancelled" | "draining";

/** Thrown by the steps of claimed work that has to stop. */
export class ClaimStopped extends Error {
  readonly stop: StopCause;

  constructor(stop: StopCause) {
    super(`The work stops: ${stop}`);
    this.name = "ClaimStopped";
    this.stop = stop;
  }
}

/** Work that this process has claimed under a lease. Its epoch decides who may write, not the time. */
export class Claim {
  readonly #stopping = new AbortController();
  readonly #abandoning = new AbortController();
  #cause: StopCause | undefined;

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** Aborted when the work has to stop, whatever the cause. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when nothing of the work may be waited for. */
  get abandoning(): AbortSignal {
    return this.#abandoning.signal;
  }

  /** Lost work is lost; apart from that, the first cause counts. */
  stop(cause: StopCause): void {
    if (this.#cause === undefined || cause === "lost") this.#cause = cause;
    this.#stopping.abort(new ClaimStopped(cause));
    if (cause === "lost") this.#abandoning.abort(new ClaimStopped(cause));
  }

  /** The same, and throws {@link ClaimStopped}. */
  stopNow(cause: StopCause): never {
    this.stop(cause);
    throw new ClaimStopped(cause);
  }

  /** Calls that have not ended by now are not waited for. */
  abandon(): void {
    this.#abandoning.abort(new ClaimStopped(this.#cause ?? "draining"));
  }

  /** Throws {@link ClaimStopped} if the work has to stop. */
  check(): void {
    if (this.#cause !== undefined) throw new ClaimStopped(this.#cause);
  }
}

/** Renews a lease again and again, one renewal at a time. `renew` handles its failures. Returns a function that ends it. */
export function keepRenewing(everyMs: number, renew: () => Promise<void>): () => void {
  let isRenewing = false;
  const timer = setInterval(async () => {
    if (isRenewing) return;
    isRenewing = true;
    await renew();
    isRenewing = false;
  }, everyMs);
  return () => clearInterval(timer);
}

/** Stops all claims, and abandons those that have not ended in time. `whenEnded`: resolves when all have. */
export async function drainClaims(
  claims: () => Iterable<Claim>,
  withinMs: number,
  whenEnded: () => Promise<unknown>,
): Promise<void> {
  for (const claim of claims()) claim.stop("draining");
  const ended = new AbortController();
  const abandoned = setTimeout(withinMs, undefined, { signal: ended.signal }).then(
    () => {
      for (const claim of claims()) claim.abandon();
    },
    () => undefined,
  );
  await whenEnded();
  ended.abort();
  await abandoned;
}

/**
 * Repeats a call, which must be harmless to repeat, until it succeeds. `failed` throws if a repetition does not help, and
 * the signal's reason is thrown once it is aborted.
 */
export async function repeat<T>(
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
  call: () => Promise<T>,
  failed: (error: unknown) => void,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      failed(error);
    }
    await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
