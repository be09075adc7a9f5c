import type { Clock, Logger } from "@muster/service";
import { LRUCache } from "lru-cache";
import type { KeySet, KeySource } from "./fetch-key-set.ts";
import { keySetLimits } from "./limits.ts";

export interface KeySetsOptions {
  clock: Clock;
  log: Logger;
  /** Rejects if the keys cannot be fetched. */
  fetchKeys: (source: KeySource, signal: AbortSignal) => Promise<KeySet>;
}

/** The known state of one source. */
interface Known {
  keys?: KeySet;
  fetchedAtMs: number;
  /** The time of the last attempt, successful or not. */
  triedAtMs: number;
  fetching?: Promise<void>;
}

const { refreshAfterMs, waitAfterMs, unusableAfterMs, coolDownMs, maxSources } = keySetLimits;

/**
 * The keys of issuers. One fetch per source at a time, and none within the cool-down after the last: neither tokens with
 * invented key ids nor a failing issuer cause one each. An issuer that fails keeps its keys for a day.
 */
export class KeySets {
  readonly #options: KeySetsOptions;
  readonly #known = new LRUCache<string, Known>({ max: maxSources });
  readonly #stopping = new AbortController();
  readonly #fetches = new Set<Promise<void>>();

  constructor(options: KeySetsOptions) {
    this.#options = options;
  }

  /**
   * The keys of the source if the one with the id is among them and they need not be waited for. Fetches them again in the
   * background when they are no longer fresh.
   */
  current(source: KeySource, kid: string): KeySet | undefined {
    const known = this.#knownOf(source);
    const ageMs = this.#options.clock.monotonicMs() - known.fetchedAtMs;
    if (ageMs >= waitAfterMs || known.keys?.kids.has(kid) !== true) return undefined;
    if (ageMs >= refreshAfterMs) void this.#refresh(known, source);
    return known.keys;
  }

  /** Fetches the keys, unless that was tried within the cool-down. Resolves once they are there, or cannot be fetched. */
  async refresh(source: KeySource): Promise<void> {
    await this.#refresh(this.#knownOf(source), source);
  }

  /** Like `current`, but after a refresh: old keys will do if the issuer does not answer. */
  afterRefresh(source: KeySource, kid: string): KeySet | undefined {
    const { keys, fetchedAtMs } = this.#knownOf(source);
    if (this.#options.clock.monotonicMs() - fetchedAtMs >= unusableAfterMs) return undefined;
    return keys?.kids.has(kid) ? keys : undefined;
  }

  /** Ends what is being fetched. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The service is stopping"));
    await Promise.all(this.#fetches);
  }

  #knownOf({ issuer, jwksUri }: KeySource): Known {
    const name = JSON.stringify([issuer, jwksUri ?? null]);
    const known = this.#known.get(name) ?? {
      fetchedAtMs: Number.NEGATIVE_INFINITY,
      triedAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#known.set(name, known);
    return known;
  }

  /** Never rejects. */
  async #refresh(known: Known, source: KeySource): Promise<void> {
    if (known.fetching !== undefined) return known.fetching;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - known.triedAtMs < coolDownMs) return;
    known.triedAtMs = nowMs;
    const fetching = this.#fetch(known, source).finally(() => {
      delete known.fetching;
      this.#fetches.delete(fetching);
    });
    known.fetching = fetching;
    this.#fetches.add(fetching);
    return fetching;
  }

  async #fetch(known: Known, source: KeySource): Promise<void> {
    const { fetchKeys, clock, log } = this.#options;
    try {
      known.keys = await fetchKeys(source, this.#stopping.signal);
      known.fetchedAtMs = clock.monotonicMs();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn({ err: error, ...source }, "the keys of an identity provider could not be fetched");
    }
  }
}
