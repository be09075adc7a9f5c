import { bufferOf } from "./buffers.ts";
import type { Database } from "./database.ts";

/** The keys that are counted before others can run. */
const stepKeys = 512;
const keyBytes = 64;

/** The number of documents of a collection: counted once in steps, while others write, and then maintained. */
export class DocumentCount {
  readonly #database: Database;
  readonly #index: () => number | undefined;
  #isComplete = false;
  #n = 0;
  /** The keys up to this one are counted. */
  #last: Buffer = Buffer.alloc(0);

  /** `index` returns the number of the index on `_id`. */
  constructor(database: Database, index: () => number | undefined) {
    this.#database = database;
    this.#index = index;
  }

  /** A document was inserted (1) or deleted (-1). */
  note(key: Buffer | undefined, change: 1 | -1): void {
    if (this.#isComplete || (key && Buffer.compare(key, this.#last) <= 0)) this.#n += change;
  }

  /** Continues to count until the slice ends. Returns the number once it is known. */
  advance(): number | undefined {
    const keys = `SELECT key FROM index_${this.#index()} WHERE key > ? ORDER BY key LIMIT ${stepKeys}`;
    while (!this.#isComplete) {
      const row = this.#database.statement(`SELECT COUNT(*), MAX(key) FROM (${keys})`).get(this.#last);
      const [counted, last] = Array.isArray(row) ? row : [];
      this.#n += Number(counted);
      if (Number(counted) < stepKeys) this.#isComplete = true;
      else {
        this.#last = Buffer.from(bufferOf(last));
        if (this.#database.pace.spend(stepKeys * keyBytes)) return undefined;
      }
    }
    return this.#n;
  }
}
