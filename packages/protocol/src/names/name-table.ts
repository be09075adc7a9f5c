/** Names of one kind, each with what is known of it, and which of them something uses. */
export class NameTable<T> {
  readonly #entries: ReadonlyMap<string, T>;
  readonly #used = new Set<string>();

  constructor(entries: ReadonlyMap<string, T> = new Map()) {
    this.#entries = entries;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  get(name: string): T | undefined {
    return this.#entries.get(name);
  }

  /** Looks a name up for somebody who uses it. */
  use(name: string): T | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#used.add(name);
    return entry;
  }

  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  unused(): Array<[name: string, entry: T]> {
    return [...this.#entries].filter(([name]) => !this.#used.has(name));
  }
}
