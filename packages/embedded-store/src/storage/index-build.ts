import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { entryBytes } from "../query/memory.ts";
import { compareKeys, keyOf, Merge } from "../query/merge.ts";
import { type Packed, Slabs } from "../query/slabs.ts";
import { runLength } from "../query/sorter.ts";
import type { Steps } from "../steps.ts";
import { checkUnique, type WriteObserver } from "./collection.ts";
import type { Database } from "./database.ts";
import type { IndexSpec } from "./index-spec.ts";
import { IndexTable, type RowId } from "./index-table.ts";
import { temporaryName } from "./trash.ts";

/** The memory of a build for entries that are not in the index yet. */
const maxKeyBytes = 16 * 1024 * 1024;

const noContent = Buffer.alloc(0);

/** An insert is several times the work of reading a small document. */
const insertBytes = 1024;

/** The current content of a row. */
export type ReadRow = (row: RowId) => Buffer | undefined;

/**
 * An index that is being filled while others write. Every write changes its entries at once. The documents that exist
 * before are read first (`read`), and their entries inserted in the order of their keys afterwards (`insertSorted`), in
 * parts if there are many: in that order, they fill one page of the index after the other; in any other order, nearly
 * each would change a page of its own, and the next commit would write them all.
 */
export class IndexBuild implements WriteObserver {
  readonly spec: IndexSpec;
  readonly table = temporaryName();
  readonly #database: Database;
  readonly #namespace: string;
  readonly #index: IndexTable;
  readonly #maxBytes: number;
  /** The entries that have been read and not inserted yet, as sorted runs. */
  #slabs = new Slabs();
  #run: Packed[] = [];
  #runs: Packed[][] = [];
  #bytes = 0;
  /** Rows that were written after they had been read: their sorted entries may be out of date. */
  readonly #changed = new Set<RowId>();
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
    this.#maxBytes = maxBytes;
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

  /** Notes the entries of a document. The rows are sorted. */
  read(row: RowId, content: Doc): void {
    this.#lastRead = row;
    for (const key of this.#index.newKeysOf(content)) {
      this.#run.push(this.#slabs.pack(key, noContent, row));
      this.#bytes += key.length + entryBytes;
      if (this.#run.length >= runLength) this.#endRun();
    }
  }

  #endRun(): void {
    if (this.#run.length > 0) this.#runs.push(this.#run.sort(compareKeys));
    this.#run = [];
  }

  /** `insertSorted` has to run before the next document is read. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  /** Inserts the entries of the documents read since the last call. `resume` begins each slice. */
  *insertSorted(readRow: ReadRow, resume: () => void): Steps<void> {
    this.#endRun();
    const merge = new Merge(this.#runs);
    resume();
    for (let entry = merge.next(); entry; entry = merge.next()) {
      if (this.#changed.has(entry.row)) this.#insertCurrent(entry.row, readRow);
      else this.#insert(keyOf(entry), entry.row, readRow);
      if (!this.#database.pace.spend(entry.keyLength + insertBytes)) continue;
      yield;
      resume();
    }
    this.#slabs = new Slabs();
    this.#runs = [];
    this.#bytes = 0;
    this.#changed.clear();
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
}
