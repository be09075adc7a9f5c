/** Names of one kind, each with its entry, and which of them are used. */
export class NameTable<T> {
  readonly #entries: ReadonlyMap<string, T>;
  readonly #used = new Set<string>();
  readonly #written = new Set<string>();

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

  /** Marks a name as written. That does not count as a use. */
  write(name: string): void {
    this.#written.add(name);
  }

  isWritten(name: string): boolean {
    return this.#written.has(name);
  }

  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  entries(): Iterable<[name: string, entry: T]> {
    return this.#entries;
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  unused(): Array<[name: string, entry: T]> {
    return [...this.#entries].filter(([name]) => !this.#used.has(name));
  }
}
