import type { Clock } from "@muster/service";
import { LRUCache } from "lru-cache";
import { type Identity, idsOf } from "./identity.ts";
import { RevokedIds } from "./revoked-ids.ts";

const maxIdentities = 10_000;

/** Identities by the hash of their credential, and by the ids that a revocation names. */
export class IdentityCache {
  readonly #clock: Clock;
  readonly #byHash: LRUCache<string, Identity>;
  readonly #hashes = new Map<string, Set<string>>();
  readonly #revoked = new RevokedIds();

  /** `maxAgeMs`: counted from the question to the auth service, not from its answer, which may take a while. */
  constructor(clock: Clock, maxAgeMs: number) {
    this.#clock = clock;
    this.#byHash = new LRUCache({
      max: maxIdentities,
      ttl: maxAgeMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
      dispose: (identity, hash) => this.#unlink(identity, hash),
    });
  }

  get(hash: string): Identity | undefined {
    return this.#byHash.get(hash);
  }

  /** Keeps an identity, unless its key or token was revoked after the auth service was asked. */
  set(hash: string, identity: Identity): void {
    const ids = idsOf(identity.principal);
    if (this.#revoked.hasSince(ids, identity.askedAtMs)) return;
    this.#byHash.set(hash, identity, { start: identity.askedAtMs });
    for (const id of ids) {
      const hashes = this.#hashes.get(id) ?? new Set();
      this.#hashes.set(id, hashes.add(hash));
    }
  }

  delete(hash: string): void {
    this.#byHash.delete(hash);
  }

  /** Forgets the identities of a key and of the tokens that it minted, or of one token. */
  revoke(id: string): void {
    this.#revoked.add(id, this.#clock.monotonicMs());
    for (const hash of [...(this.#hashes.get(id) ?? [])]) this.#byHash.delete(hash);
  }

  clear(): void {
    this.#byHash.clear();
  }

  #unlink({ principal }: Identity, hash: string): void {
    for (const id of idsOf(principal)) {
      const hashes = this.#hashes.get(id);
      hashes?.delete(hash);
      if (hashes?.size === 0) this.#hashes.delete(id);
    }
  }
}
