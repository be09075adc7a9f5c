/**
 * Queues work by owner. Owners take turns; each has at most one running job and a bounded number of waiting ones, so
 * no owner can block the others for longer than one job takes.
 */
export class FairQueue<Item> {
  readonly #limits: { perOwner: number; inAll: number };
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Item[]>();
  readonly #busy = new Set<string>();
  #size = 0;

  constructor(limits: { perOwner: number; inAll: number }) {
    this.#limits = limits;
  }

  /** False if too many jobs are waiting already. */
  push(owner: string, item: Item): boolean {
    const items = this.#waiting.get(owner) ?? [];
    if (items.length >= this.#limits.perOwner || this.#size >= this.#limits.inAll) return false;
    items.push(item);
    this.#waiting.set(owner, items);
    this.#size += 1;
    return true;
  }

  /** The next job of an owner that has none running. Call `done` afterwards. */
  take(): { owner: string; item: Item } | undefined {
    for (const [owner, [item, ...rest]] of this.#waiting) {
      if (item === undefined || this.#busy.has(owner)) continue;
      this.#waiting.delete(owner);
      if (rest.length > 0) this.#waiting.set(owner, rest);
      this.#busy.add(owner);
      this.#size -= 1;
      return { owner, item };
    }
    return undefined;
  }

  done(owner: string): void {
    this.#busy.delete(owner);
  }
}
