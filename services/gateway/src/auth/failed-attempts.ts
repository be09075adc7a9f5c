import { type Clock, FairQueue, QueueFullError } from "@muster/service";
import type { LRUCache } from "lru-cache";
import { problemFrom } from "../edge/errors/from-any.ts";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { lruCache } from "../edge/limits/lru-cache.ts";
import type { RequestCounts } from "../edge/limits/request-counts.ts";

/** The wrong credentials of a minute, counted by all gateways together. */
export type SharedFailures = Pick<RequestCounts, "add" | "used">;

const windowMs = 60_000;
/** Checks of credentials without a checksum that wait for their turn, per address. */
const maxWaiting = 64;
/** Checks of credentials with a checksum beyond the limit, of all addresses. */
const maxAtOnce = 16;

/**
 * How a credential is checked at an address beyond the limit. `now`: it is known to be wrong, so the check costs
 * nothing. `shared`: it has a right checksum; it waits for one of the places that all addresses share, and is never
 * refused unchecked. `alone`: every client can invent it. `burst`: as `shared`, but right ones arrive in large numbers at
 * once, so credentials that are being checked do not count.
 */
export type CheckOrder = "now" | "shared" | "alone" | "burst";

/**
 * Counts the wrong credentials of each client address for a minute from the first one. Beyond the limit, the address's
 * credentials are checked as their `CheckOrder` says and wrong ones are refused as too many: clients behind one address
 * share it, and a right credential must work whatever the others send. Remembers at most `maxClients` addresses, the most recent
 * ones, so that memory stays bounded. Gateways learn of each other's within a fraction of a second.
 */
export class FailedAttempts {
  readonly #maxPerMinute: number;
  readonly #counts: LRUCache<string, number>;
  readonly #alone = new FairQueue({ running: Infinity, runningPerOwner: 1, waitingPerOwner: maxWaiting });
  readonly #places = new FairQueue({ running: maxAtOnce });
  readonly #shared: SharedFailures | undefined;

  /** `maxPerMinute`: 0 means no limit. `shared`: those of all gateways; absent if there is only this one. */
  constructor(
    maxPerMinute: number,
    clock: Clock,
    { shared, maxClients = 10_000 }: { shared?: SharedFailures; maxClients?: number } = {},
  ) {
    this.#maxPerMinute = maxPerMinute;
    this.#shared = shared;
    this.#counts = lruCache(maxClients, {
      ttl: windowMs,
      noUpdateTTL: true,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
    });
  }

  /**
   * Checks a credential that is not known to be right. `check` rejects with UNAUTHENTICATED if it is wrong. Throws
   * RATE_LIMITED instead if the client has sent too many, or if too many of its credentials without a checksum wait.
   */
  async attempt<T>(client: string, check: () => Promise<T>, order: CheckOrder = "alone"): Promise<T> {
    if (this.#maxPerMinute === 0) return check();
    // Counted before the result is known: otherwise any number of concurrent attempts would be below the limit.
    const inAdvance = order === "burst" ? 0 : 1;
    const isBelowLimit =
      this.#add(client, inAdvance) <= this.#maxPerMinute - (1 - inAdvance) &&
      this.#elsewhere(client) < this.#maxPerMinute;
    try {
      const result = await (isBelowLimit ? check() : this.#inTurn(client, check, order));
      this.#add(client, -inAdvance);
      return result;
    } catch (error) {
      if (problemFrom(error).code !== "UNAUTHENTICATED") this.#add(client, -inAdvance);
      else {
        this.#add(client, 1 - inAdvance);
        this.#shared?.add(bucketOf(client));
        if (!isBelowLimit) throw this.#tooMany(client);
      }
      throw error;
    }
  }

  /** The wrong ones of all gateways, those of this one included. */
  #elsewhere(client: string): number {
    return this.#shared?.used(bucketOf(client)).count ?? 0;
  }

  async #inTurn<T>(client: string, check: () => Promise<T>, order: CheckOrder): Promise<T> {
    if (order === "now") return await check();
    if (order === "shared" || order === "burst") return await this.#places.run(client, check);
    try {
      return await this.#alone.run(client, check);
    } catch (error) {
      throw error instanceof QueueFullError ? this.#tooMany(client) : error;
    }
  }

  /** Returns the new count. The window of an address begins with its first attempt, and ends early without wrong ones. */
  #add(client: string, change: number): number {
    const count = Math.max(0, (this.#counts.get(client) ?? 0) + change);
    if (count === 0) this.#counts.delete(client);
    else this.#counts.set(client, count);
    return count;
  }

  #tooMany(client: string): HttpProblem {
    return new HttpProblem(
      "RATE_LIMITED",
      "Too many wrong credentials came from this address. Check the API key, then wait for Retry-After.",
      { retryAfterMs: Math.max(1, this.#remainingMs(client)), refusedBy: "rate_limit" },
    );
  }

  #remainingMs(client: string): number {
    const ownMs = this.#counts.getRemainingTTL(client);
    if (this.#shared === undefined || this.#elsewhere(client) < this.#maxPerMinute) return ownMs;
    return this.#shared.used(bucketOf(client)).resetMs;
  }
}

function bucketOf(client: string): string {
  return `failures:${client}`;
}
