import type { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { checkUnique, type WriteObserver } from "./collection.ts";
import type { Database } from "./database.ts";
import type { IndexSpec } from "./index-spec.ts";
import { IndexTable, type RowId } from "./index-table.ts";
import { temporaryName } from "./trash.ts";

/**
 * An index that is being filled while others write. Every write changes its entries, too: of documents that the build
 * has not reached yet, it then finds some entries present.
 */
export class IndexBuild implements WriteObserver {
  readonly spec: IndexSpec;
  readonly table = temporaryName();
  readonly #namespace: string;
  readonly #index: IndexTable;
  #failure: StoreError | undefined;

  constructor(database: Database, namespace: string, spec: IndexSpec) {
    this.spec = spec;
    this.#namespace = namespace;
    IndexTable.create(database, this.table, spec);
    const multikey = spec.fields.map(() => false);
    // No row of the catalogue has this number, so its flags are stored only when the build is complete.
    this.#index = new IndexTable(database, -1, spec, multikey, this.table);
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
}
