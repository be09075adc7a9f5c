/** Names of one kind with their entries. Records which of them are used. */
export class NameTable<T> {
  readonly #entries: ReadonlyMap<string, T>;
  readonly #used = new Set<string>();
  readonly #written = new Set<string>();
  #spellings: ReadonlyMap<string, string> | undefined;

  constructor(entries: ReadonlyMap<string, T> = new Map()) {
    this.#entries = entries;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  get(name: string): T | undefined {
    return this.#entries.get(name);
  }

  /** Looks up a name and marks it as used. */
  use(name: string): T | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#used.add(name);
    return entry;
  }

  /** The declared name that equals `name` when written in the style of its kind. `spell` must be the same in each call. */
  spelt(name: string, spell: (declared: string) => string | undefined): string | undefined {
    this.#spellings ??= new Map([...this.keys()].map((declared) => [spell(declared) ?? declared, declared]));
    return this.#spellings.get(name);
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
