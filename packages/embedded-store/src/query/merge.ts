import type { Packed } from "./slabs.ts";

export function keyOf({ slab, at, keyLength }: Packed): Buffer {
  return slab.subarray(at, at + keyLength);
}

export function compareKeys(a: Packed, b: Packed): number {
  return a.slab.compare(b.slab, b.at, b.at + b.keyLength, a.at, a.at + a.keyLength);
}

interface Head {
  readonly run: Iterator<Packed>;
  readonly order: number;
  entry: Packed;
}

/** Merges sorted runs. Entries with equal keys keep the order of their runs. */
export class Merge {
  /** The next entries of all runs, the smallest last. */
  readonly #heads: Head[] = [];

  constructor(runs: readonly Iterable<Packed>[]) {
    for (const [order, entries] of runs.entries()) {
      const run = entries[Symbol.iterator]();
      const first = run.next();
      if (!first.done) this.#put({ run, order, entry: first.value });
    }
  }

  next(): Packed | undefined {
    const head = this.#heads.pop();
    if (!head) return undefined;
    const { entry } = head;
    const following = head.run.next();
    if (!following.done) {
      head.entry = following.value;
      this.#put(head);
    }
    return entry;
  }

  /** The entries that `next` has not returned, in any order. */
  *rest(): Generator<Packed> {
    for (const { run, entry } of this.#heads) {
      yield entry;
      for (let next = run.next(); !next.done; next = run.next()) yield next.value;
    }
  }

  #put(head: Head): void {
    let low = 0;
    let high = this.#heads.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#heads[middle];
      if (other && isBefore(head, other)) low = middle + 1;
      else high = middle;
    }
    this.#heads.splice(low, 0, head);
  }
}

function isBefore(a: Head, b: Head): boolean {
  return (compareKeys(a.entry, b.entry) || a.order - b.order) < 0;
}
