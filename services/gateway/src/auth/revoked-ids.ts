import { LRUCache } from "lru-cache";

/** A request is admitted and starts its stream within seconds, so the latest revocations are enough. */
const maxRemembered = 10_000;

/**
 * When keys and tokens were revoked, so that a result of authentication from before is not used after it. A result from
 * after it counts: the bootstrap key keeps its id when its secret is replaced.
 */
export class RevokedIds {
  readonly #revokedMs = new LRUCache<string, number>({ max: maxRemembered });

  add(id: string, nowMs: number): void {
    this.#revokedMs.set(id, nowMs);
  }

  /** Whether one of the ids was revoked at or after that time. */
  hasSince(ids: readonly string[], sinceMs: number): boolean {
    return ids.some((id) => (this.#revokedMs.get(id) ?? Number.NEGATIVE_INFINITY) >= sinceMs);
  }
}
