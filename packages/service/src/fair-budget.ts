/**
 * Bounds what owners, usually projects, have together of something that is refused rather than waited for. How much one
 * may have follows what is left: with the default greed alone three quarters, and less the more others have. So
 * something is left for a newcomer, however greedy the others are, and an owner that has nothing gets whatever fits.
 */
export class FairBudget {
  readonly #limit: number;
  readonly #greed: number;
  readonly #used = new Map<string, number>();
  #usedInAll = 0;

  /** `greed`: an owner may have this many times what is left free. */
  constructor(limit: number, greed = 3) {
    this.#limit = limit;
    this.#greed = greed;
  }

  /** The total of all owners. */
  get used(): number {
    return this.#usedInAll;
  }

  /** False if the owner must not have so much more now. Otherwise `give` it back. */
  take(owner: string, size: number): boolean {
    const before = this.#used.get(owner) ?? 0;
    const free = this.#limit - this.#usedInAll - size;
    if (free < 0 || (before > 0 && before + size > this.#greed * free)) return false;
    this.#change(owner, size);
    return true;
  }

  give(owner: string, size: number): void {
    this.#change(owner, -size);
  }

  #change(owner: string, by: number): void {
    this.#usedInAll += by;
    const used = (this.#used.get(owner) ?? 0) + by;
    if (used === 0) this.#used.delete(owner);
    else this.#used.set(owner, used);
  }
}
