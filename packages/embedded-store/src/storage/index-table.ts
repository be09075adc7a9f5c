import type { StatementSync } from "node:sqlite";
import type { Doc } from "../bson/value.ts";
import { notSupported } from "../errors.ts";
import { documentKeys } from "../query/keys.ts";
import { matches } from "../query/match.ts";
import type { Database } from "./database.ts";
import type { IndexSpec } from "./index-spec.ts";

/** Limits the work that one document's array causes in every index over it. */
export const maxKeys = 20_000;

/** A document's row number in SQLite, which also defines the natural order. */
export type RowId = number;

/** One index: a table of (encoded key, row) in key order. */
export class IndexTable {
  readonly id: number;
  readonly spec: IndexSpec;
  readonly #database: Database;
  readonly #insert: StatementSync;
  readonly #insertMissing: StatementSync;
  readonly #remove: StatementSync;
  readonly #find: StatementSync;
  #multikey: readonly boolean[];

  constructor(
    database: Database,
    id: number,
    spec: IndexSpec,
    multikey: readonly boolean[],
    table = `index_${id}`,
  ) {
    this.id = id;
    this.spec = spec;
    this.#database = database;
    this.#multikey = multikey;
    this.#insert = database.statement(`INSERT INTO ${table} (key, row) VALUES (?, ?)`);
    this.#insertMissing = database.statement(`INSERT OR IGNORE INTO ${table} (key, row) VALUES (?, ?)`);
    this.#remove = database.statement(`DELETE FROM ${table} WHERE key = ? AND row = ?`);
    this.#find = database.statement(`SELECT row FROM ${table} WHERE key = ?`);
  }

  /** Creates the table. SQLite enforces uniqueness too, as a second guard behind the check before the write. */
  static create(database: Database, table: string, spec: IndexSpec): void {
    const primary = spec.unique ? "key" : "key, row";
    database.execute(
      `CREATE TABLE ${table} (key BLOB NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (${primary})) WITHOUT ROWID`,
    );
  }

  /** For each field, whether any document has, or ever had, an array on its path. */
  get multikey(): readonly boolean[] {
    return this.#multikey;
  }

  /** The keys of a document that is about to be indexed. Throws NotImplemented if there are too many. */
  newKeysOf(doc: Doc): readonly Buffer[] {
    const keys = this.keysOf(doc);
    if (keys.length > maxKeys) throw notSupported(`More than ${maxKeys} index keys for one document`);
    return keys;
  }

  /** The keys of this document, however many are stored; none if a partial index excludes it. */
  keysOf(doc: Doc): readonly Buffer[] {
    const { partial, fields } = this.spec;
    if (partial && !matches(partial, doc)) return [];
    const { keys, multikey } = documentKeys(doc, fields);
    if (multikey.some((met, i) => met && !this.#multikey[i])) this.#noteArrays(multikey);
    return keys;
  }

  #noteArrays(met: readonly boolean[]): void {
    this.#multikey = this.#multikey.map((before, i) => before || (met[i] ?? false));
    this.#database
      .statement("UPDATE indexes SET multikey = ? WHERE id = ?")
      .run(JSON.stringify(this.#multikey), this.id);
  }

  /** The row that already uses this key. */
  rowOf(key: Buffer): RowId | undefined {
    const row = this.#find.get(key);
    return Array.isArray(row) ? Number(row[0]) : undefined;
  }

  has(key: Buffer, row: RowId): boolean {
    const select = `SELECT 1 FROM index_${this.id} WHERE key = ? AND row = ?`;
    return this.#database.statement(select).get(key, row) !== undefined;
  }

  add(key: Buffer, row: RowId): void {
    this.#insert.run(key, row);
  }

  /** Like `add`, for an entry that may exist. Returns false if it does, or if the key of a unique index does. */
  addMissing(key: Buffer, row: RowId): boolean {
    return this.#insertMissing.run(key, row).changes > 0;
  }

  remove(key: Buffer, row: RowId): void {
    this.#remove.run(key, row);
  }

  /** Whether a change of these top-level fields can change this index's entries. */
  dependsOn(changed: ReadonlySet<string>): boolean {
    const { partial, fields } = this.spec;
    return partial !== undefined || fields.some((field) => changed.has(field.path[0] ?? ""));
  }
}
