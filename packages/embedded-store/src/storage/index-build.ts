import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { keyOf } from "../query/merge.ts";
import type { Steps } from "../steps.ts";
import { checkUnique, type WriteObserver } from "./collection.ts";
import type { Database } from "./database.ts";
import type { IndexSpec } from "./index-spec.ts";
import { IndexTable, type RowId } from "./index-table.ts";
import { RowSet } from "./row-set.ts";
import { SortedKeys } from "./sorted-keys.ts";
import { temporaryName } from "./trash.ts";

/** The memory of a build for entries that are not in the index yet. */
const maxKeyBytes = 16 * 1024 * 1024;

/** An insert is several times the work of reading a small document. */
const insertBytes = 1024;

/** The current content of a row. */
export type ReadRow = (row: RowId) => Buffer | undefined;

/**
 * An index that is being filled while others write. Every write changes its entries at once. The documents that exist
 * before are read first (`read`), and their entries inserted in the order of their keys afterwards (`insertSorted`).
 */
export class IndexBuild implements WriteObserver {
  readonly spec: IndexSpec;
  readonly table = temporaryName();
  readonly #database: Database;
  readonly #namespace: string;
  readonly #index: IndexTable;
  readonly #keys: SortedKeys;
  /** Rows that were written after they had been read: their sorted entries may be out of date. */
  readonly #changed = new RowSet();
  #lastRead: RowId = 0;
  #failure: StoreError | undefined;

  constructor(database: Database, namespace: string, spec: IndexSpec, maxBytes = maxKeyBytes) {
    this.spec = spec;
    this.#database = database;
    this.#namespace = namespace;
    IndexTable.create(database, this.table, spec);
    const multikey = spec.fields.map(() => false);
    // No row of the catalogue has this number, so its flags are stored only when the build is complete.
    this.#index = new IndexTable(database, -1, spec, multikey, this.table);
    this.#keys = new SortedKeys(database, `store.${this.table}`, maxBytes);
  }

  get multikey(): readonly boolean[] {
    return this.#index.multikey;
  }

  /** Throws the failure of an earlier write: it fails the build and not the write, which no complete index refuses. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  write(row: RowId, before: Doc | undefined, after: Doc | undefined): void {
    if (this.#failure) return;
    // Also if the write is undone later: only the stored document counts then.
    if (row <= this.#lastRead) this.#changed.add(row);
    try {
      const added = after ? this.#index.newKeysOf(after) : [];
      if (after) checkUnique(this.#namespace, this.#index, added, after, row);
      for (const key of before ? this.#index.keysOf(before) : []) this.#index.remove(key, row);
      for (const key of added) this.#index.addMissing(key, row);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#failure = error;
    }
  }

  /** Notes the entries of a document. Rows come in order. */
  read(row: RowId, content: Doc): void {
    this.#lastRead = row;
    for (const key of this.#index.newKeysOf(content)) this.#keys.add(key, row);
  }

  /** `spill` has to run before the next document is read. */
  get isFull(): boolean {
    return this.#keys.isFull;
  }

  /** Frees the memory of the entries of the documents read. */
  *spill(): Steps<void> {
    if (this.isFull) yield* this.#keys.spill();
  }

  /** Inserts the entries of all documents read. `resume` begins each slice. */
  *insertSorted(readRow: ReadRow, resume: () => void): Steps<void> {
    const merge = this.#keys.merge();
    resume();
    for (let entry = merge.next(); entry; entry = merge.next()) {
      if (this.#changed.has(entry.row)) this.#insertCurrent(entry.row, readRow);
      else this.#insert(keyOf(entry), entry.row, readRow);
      if (!this.#database.pace.spend(entry.keyLength + insertBytes)) continue;
      yield;
      resume();
    }
  }

  #insertCurrent(row: RowId, readRow: ReadRow): void {
    const content = readRow(row);
    for (const key of content ? this.#index.newKeysOf(Doc.fromRaw(content)) : [])
      this.#insert(key, row, readRow);
  }

  #insert(key: Buffer, row: RowId, readRow: ReadRow): void {
    if (this.#index.addMissing(key, row) || !this.spec.unique) return;
    const content = readRow(row);
    if (content) checkUnique(this.#namespace, this.#index, [key], Doc.fromRaw(content), row);
  }

  /** Frees what is not part of the index. */
  close(): void {
    this.#keys.close();
  }
}
