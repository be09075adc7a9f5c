/** A source of choices that are reproducible by seed. Fast, because a definition needs hundreds. */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** True in `percent` of all cases. */
  chance(percent: number): boolean {
    return this.#next() * 100 < percent;
  }

  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T | undefined;
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** Up to `max` different items, in any order. */
  some<T>(items: readonly T[], max = items.length): T[] {
    return this.shuffled(items).slice(0, this.below(Math.min(items.length, max) + 1));
  }

  shuffled<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => [this.#next(), item] as const);
    return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  /** Mulberry32: 32 bits of state, even over its whole period. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}
