import type { Clock } from "@muster/service";
import { LRUCache } from "lru-cache";
import { HttpProblem } from "../errors/http-problem.ts";

const windowMs = 60_000;

/**
 * Counts the wrong credentials of each client address for a minute from the first one. Remembers at most `maxClients`
 * addresses, the most recent ones, so that memory stays bounded. Each instance counts separately.
 */
export class FailedAttempts {
  readonly #maxPerMinute: number;
  readonly #counts: LRUCache<string, number>;

  /** `maxPerMinute`: 0 means no limit. */
  constructor(maxPerMinute: number, clock: Clock, maxClients = 10_000) {
    this.#maxPerMinute = maxPerMinute;
    this.#counts = new LRUCache({
      max: maxClients,
      ttl: windowMs,
      noUpdateTTL: true,
      perf: { now: () => clock.now() },
      ttlResolution: 0,
    });
  }

  /** Throws RATE_LIMITED if the client has sent too many wrong credentials. */
  assertBelowLimit(client: string): void {
    const count = this.#counts.get(client) ?? 0;
    if (this.#maxPerMinute === 0 || count < this.#maxPerMinute) return;
    throw new HttpProblem(
      "RATE_LIMITED",
      "Too many wrong credentials came from this address. Check the API key, then wait for Retry-After.",
      { retryAfterMs: this.#counts.getRemainingTTL(client) },
    );
  }

  add(client: string): void {
    if (this.#maxPerMinute === 0) return;
    this.#counts.set(client, (this.#counts.get(client) ?? 0) + 1);
  }
}
