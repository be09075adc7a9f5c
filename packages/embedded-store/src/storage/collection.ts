import type { StatementSync } from "node:sqlite";
import { encodeDoc } from "../bson/encode.ts";
import { doc, type Plain } from "../bson/plain.ts";
import { show } from "../bson/show.ts";
import { Doc, document, nullValue } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { keyValues } from "../query/keys.ts";
import { bufferOf } from "./buffer-of.ts";
import type { Database } from "./database.ts";
import type { IndexTable, RowId } from "./index-table.ts";

/** MongoDB's limit for one document. */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** Follows the writes of a collection. */
export interface WriteObserver {
  /** A document was inserted (`before` is undefined), changed, or deleted (`after` is undefined). */
  write(row: RowId, before: Doc | undefined, after: Doc | undefined): void;
}

/** One collection's documents and indexes, kept consistent. All writes run in the open transaction. */
export class Collection {
  readonly id: number;
  readonly namespace: string;
  readonly database: Database;
  readonly uuid: Buffer;
  indexes: readonly IndexTable[];
  /** Receives every write, for the indexes that are being built. */
  readonly builds: ReadonlySet<WriteObserver>;
  /** Changes with every write, so that a paused command can see whether others have written. */
  changes = 0;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #remove: StatementSync;

  constructor(
    database: Database,
    id: number,
    namespace: string,
    uuid: Buffer,
    indexes: readonly IndexTable[],
    builds: ReadonlySet<WriteObserver>,
  ) {
    this.id = id;
    this.namespace = namespace;
    this.database = database;
    this.uuid = uuid;
    this.indexes = indexes;
    this.builds = builds;
    this.#insert = database.statement(`INSERT INTO documents_${id} (content) VALUES (?)`);
    this.#update = database.statement(`UPDATE documents_${id} SET content = ? WHERE row = ?`);
    this.#remove = database.statement(`DELETE FROM documents_${id} WHERE row = ?`);
  }

  static create(database: Database, id: number): void {
    database.execute(`CREATE TABLE documents_${id} (row INTEGER PRIMARY KEY, content BLOB NOT NULL)`);
  }

  /** Stores a document whose first field is `_id`. Throws DuplicateKey before anything is written. */
  insert(content: Doc): RowId {
    const bytes = checkSize(encodeDoc(content));
    this.database.begin();
    const entries = this.indexes.map((index) => {
      const keys = index.newKeysOf(content);
      checkUnique(this.namespace, index, keys, content);
      return { index, keys };
    });
    const row = Number(this.#insert.run(bytes).lastInsertRowid);
    for (const { index, keys } of entries) for (const key of keys) index.add(key, row);
    this.#noteWrite(row, undefined, content);
    return row;
  }

  /** Replaces a document; returns false if the bytes are identical. Throws like insert. */
  replace(row: RowId, before: Doc, after: Doc): boolean {
    const bytes = encodeDoc(after);
    const old = encodeDoc(before);
    if (bytes.equals(old)) return false;
    checkSize(bytes);
    this.database.begin();
    const changed = changedFields(before, after);
    const affected = this.indexes.filter((index) => index.dependsOn(changed));
    const changes = affected.map((index) => {
      const { removed, added } = keyChanges(index, before, after);
      checkUnique(this.namespace, index, added, after, row);
      return { index, removed, added };
    });
    for (const { index, removed, added } of changes) {
      for (const key of removed) index.remove(key, row);
      for (const key of added) index.add(key, row);
    }
    this.#update.run(bytes, row);
    this.#noteWrite(row, before, after);
    return true;
  }

  remove(row: RowId, content: Doc): void {
    this.database.begin();
    const entries = this.indexes.map((index) => ({ index, keys: index.keysOf(content) }));
    for (const { index, keys } of entries) for (const key of keys) index.remove(key, row);
    this.#remove.run(row);
    this.#noteWrite(row, content, undefined);
  }

  get isEmpty(): boolean {
    return this.database.statement(`SELECT 1 FROM documents_${this.id} LIMIT 1`).get() === undefined;
  }

  #noteWrite(row: RowId, before: Doc | undefined, after: Doc | undefined): void {
    this.changes++;
    for (const build of this.builds) build.write(row, before, after);
  }

  /** The current content of a row. */
  contentAt(row: RowId): Buffer | undefined {
    const select = `SELECT content FROM documents_${this.id} WHERE row = ?`;
    const found = this.database.statement(select).get(row);
    return Array.isArray(found) ? bufferOf(found[0]) : undefined;
  }
}

/** The entries by which an index has to change. */
function keyChanges(index: IndexTable, before: Doc, after: Doc) {
  const oldKeys = index.keysOf(before);
  const newKeys = index.newKeysOf(after);
  return { removed: without(oldKeys, newKeys), added: without(newKeys, oldKeys) };
}

function without(keys: readonly Buffer[], others: readonly Buffer[]): readonly Buffer[] {
  const [key] = keys;
  const [other] = others;
  // Nearly every document has one key; a set would cost more than it saves.
  if (key && other && keys.length === 1 && others.length === 1) return key.equals(other) ? [] : keys;
  const texts = new Set(others.map((each) => each.toString("latin1")));
  return keys.filter((each) => !texts.has(each.toString("latin1")));
}

/** Throws DuplicateKey if another row than `self` has one of the keys in a unique index. */
export function checkUnique(
  namespace: string,
  index: IndexTable,
  keys: readonly Buffer[],
  content: Doc,
  self?: RowId,
): void {
  if (!index.spec.unique) return;
  const taken = keys.filter((key) => {
    const holder = index.rowOf(key);
    return holder !== undefined && holder !== self;
  });
  if (taken.length === 0) return;
  // MongoDB reports the first duplicate in the index's order.
  const first = taken.reduce((least, key) => (Buffer.compare(key, least) < 0 ? key : least));
  throw duplicateKey(namespace, index, content, first);
}

/** Throws BSONObjectTooLarge for a document over the size limit. */
export function checkSize(bytes: Buffer): Buffer {
  if (bytes.length <= maxDocumentBytes) return bytes;
  const problem = `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${maxDocumentBytes}`;
  throw new StoreError("BSONObjectTooLarge", problem);
}

function changedFields(before: Doc, after: Doc): Set<string> {
  const changed = new Set<string>();
  for (const [name, value] of after) if (before.get(name) !== value) changed.add(name);
  for (const [name] of before) if (!after.has(name)) changed.add(name);
  return changed;
}

function duplicateKey(namespace: string, index: IndexTable, content: Doc, key: Buffer): StoreError {
  const { name, fields, source } = index.spec;
  const values = keyValues(content, fields, key);
  const keyValue = new Doc(fields.map(({ field }, i) => [field, values[i] ?? nullValue] as const));
  const details: Record<string, Plain> = { keyPattern: source.get("key") ?? new Doc(), keyValue };
  const message = `E11000 duplicate key error collection: ${namespace} index: ${name} dup key: ${show(document(keyValue))}`;
  return new StoreError("DuplicateKey", message, doc(details));
}
