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

/** What is known about one source. */
interface Known {
  keys?: KeySet;
  fetchedAtMs: number;
  /** Of the last attempt, successful or not. */
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

  /** The keys of the source, among them the one with the id. Undefined if it has none now. */
  async find(source: KeySource, kid: string): Promise<KeySet | undefined> {
    const known = this.#knownOf(source);
    const ageMs = this.#options.clock.now() - known.fetchedAtMs;
    const current = this.#keysWith(known, kid);
    if (current !== undefined && ageMs < refreshAfterMs) return current;
    const refreshed = this.#refresh(known, source);
    if (current !== undefined && ageMs < waitAfterMs) return current;
    await refreshed;
    return this.#keysWith(known, kid);
  }

  /** Ends what is being fetched. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The service is stopping"));
    await Promise.all(this.#fetches);
  }

  #knownOf({ issuer, jwksUri }: KeySource): Known {
    const name = JSON.stringify([issuer, jwksUri ?? null]);
    const known = this.#known.get(name) ?? { fetchedAtMs: 0, triedAtMs: Number.NEGATIVE_INFINITY };
    this.#known.set(name, known);
    return known;
  }

  #keysWith({ keys, fetchedAtMs }: Known, kid: string): KeySet | undefined {
    if (this.#options.clock.now() - fetchedAtMs >= unusableAfterMs) return undefined;
    return keys?.kids.has(kid) ? keys : undefined;
  }

  /** Never rejects. */
  async #refresh(known: Known, source: KeySource): Promise<void> {
    if (known.fetching !== undefined) return known.fetching;
    const nowMs = this.#options.clock.now();
    const sinceMs = nowMs - known.triedAtMs;
    // Negative if the clock was set back.
    if (sinceMs >= 0 && sinceMs < coolDownMs) return;
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
      known.fetchedAtMs = clock.now();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.warn({ err: error, ...source }, "the keys of an identity provider could not be fetched");
    }
  }
}
