import { randomBytes } from "node:crypto";
import { encodeDoc } from "../bson/encode.ts";
import { doc } from "../bson/plain.ts";
import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { bufferOf, Collection } from "./collection.ts";
import type { Database } from "./database.ts";
import { type IndexSpec, parseIndexSpec } from "./index-spec.ts";
import { IndexTable } from "./index-table.ts";

const maxNamespaceBytes = 255;

/** The existing collections and indexes, read from SQLite once; call `reload` after a rollback. */
export class Catalog {
  readonly #database: Database;
  #collections = new Map<string, Collection>();

  constructor(database: Database) {
    this.#database = database;
    this.reload();
  }

  reload(): void {
    this.#collections = new Map();
    for (const row of this.#database
      .statement("SELECT id, db, name, uuid FROM collections ORDER BY id")
      .all()) {
      if (!Array.isArray(row)) continue;
      const [id, db, name, uuid] = row;
      const namespace = `${db}.${name}`;
      const indexes = this.#loadIndexes(Number(id));
      this.#collections.set(
        namespace,
        new Collection(this.#database, Number(id), namespace, bufferOf(uuid), indexes),
      );
    }
  }

  #loadIndexes(collection: number): IndexTable[] {
    const select = "SELECT id, spec, multikey FROM indexes WHERE collection = ? ORDER BY id";
    return this.#database
      .statement(select)
      .all(collection)
      .flatMap((row) => {
        if (!Array.isArray(row)) return [];
        const [id, source, multikey] = row;
        const spec = parseIndexSpec(Doc.fromRaw(bufferOf(source)));
        return [new IndexTable(this.#database, Number(id), spec, parseFlags(String(multikey), spec))];
      });
  }

  find(db: string, name: string): Collection | undefined {
    return this.#collections.get(`${db}.${name}`);
  }

  /** Every collection, or those in one database, in order of creation. */
  *list(db?: string): Generator<{ db: string; name: string; collection: Collection }> {
    for (const [namespace, collection] of this.#collections) {
      const dot = namespace.indexOf(".");
      const entry = { db: namespace.slice(0, dot), name: namespace.slice(dot + 1), collection };
      if (db === undefined || entry.db === db) yield entry;
    }
  }

  /** The collection, created if missing: MongoDB creates collections implicitly on the first write. */
  ensure(db: string, name: string): Collection {
    return this.find(db, name) ?? this.create(db, name);
  }

  create(db: string, name: string): Collection {
    checkName(db, name);
    this.#database.begin();
    const uuid = randomBytes(16);
    const insert = this.#database.statement("INSERT INTO collections (db, name, uuid) VALUES (?, ?, ?)");
    const id = Number(insert.run(db, name, uuid).lastInsertRowid);
    Collection.create(this.#database, id);
    const namespace = `${db}.${name}`;
    const collection = new Collection(this.#database, id, namespace, uuid, []);
    this.#collections.set(namespace, collection);
    this.#addTable(collection, idIndex());
    return collection;
  }

  /** Adds an index and fills it. Throws on a duplicate key: call it within `atomically`. */
  addIndex(collection: Collection, spec: IndexSpec): void {
    this.#database.begin();
    collection.build(this.#addTable(collection, spec));
  }

  /** Runs changes of the catalogue as one unit: if one fails, none of them remain. */
  atomically(change: () => void): void {
    this.#database.begin();
    this.#database.execute("SAVEPOINT change");
    try {
      change();
      this.#database.execute("RELEASE change");
    } catch (error) {
      // If SQLite has rolled everything back, the savepoint is gone, and the caller must roll back and reload.
      if (!this.#database.lostTransaction) {
        this.#database.execute("ROLLBACK TO change; RELEASE change");
        this.reload();
      }
      throw error;
    }
  }

  #addTable(collection: Collection, spec: IndexSpec): IndexTable {
    const multikey = spec.fields.map(() => false);
    const insert = "INSERT INTO indexes (collection, name, spec, multikey) VALUES (?, ?, ?, ?)";
    const result = this.#database
      .statement(insert)
      .run(collection.id, spec.name, encodeDoc(spec.source), JSON.stringify(multikey));
    const id = Number(result.lastInsertRowid);
    IndexTable.create(this.#database, id, spec);
    const index = new IndexTable(this.#database, id, spec, multikey);
    collection.indexes = [...collection.indexes, index];
    return index;
  }

  dropIndex(collection: Collection, index: IndexTable): void {
    this.#database.begin();
    this.#database.dropTable(`index_${index.id}`);
    this.#database.statement("DELETE FROM indexes WHERE id = ?").run(index.id);
    collection.indexes = collection.indexes.filter((other) => other !== index);
  }

  drop(db: string, name: string): boolean {
    const collection = this.find(db, name);
    if (!collection) return false;
    for (const index of collection.indexes) this.dropIndex(collection, index);
    this.#database.begin();
    this.#database.dropTable(`documents_${collection.id}`);
    this.#database.statement("DELETE FROM collections WHERE id = ?").run(collection.id);
    this.#collections.delete(`${db}.${name}`);
    return true;
  }
}

function idIndex(): IndexSpec {
  return parseIndexSpec(doc({ key: { _id: 1 }, name: "_id_", unique: true }));
}

function parseFlags(text: string, spec: IndexSpec): boolean[] {
  const flags: unknown = JSON.parse(text);
  return spec.fields.map((_field, i) => Array.isArray(flags) && flags[i] === true);
}

function checkName(db: string, name: string): void {
  const wrongDb = db === "" || /[/\\. "$\0]/.test(db);
  const wrongName = name === "" || /[$\0]/.test(name) || name.startsWith(".") || name.endsWith(".");
  if (wrongDb || wrongName || name.startsWith("system.")) {
    throw new StoreError("InvalidNamespace", `Invalid namespace specified '${db}.${name}'`);
  }
  if (Buffer.byteLength(`${db}.${name}`) > maxNamespaceBytes) {
    throw new StoreError("InvalidNamespace", `The namespace is longer than ${maxNamespaceBytes} bytes`);
  }
}
