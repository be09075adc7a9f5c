import { randomBytes } from "node:crypto";
import { encodeDoc } from "../bson/encode.ts";
import { doc } from "../bson/plain.ts";
import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { bufferOf } from "./buffer-of.ts";
import { Collection } from "./collection.ts";
import type { Database } from "./database.ts";
import type { IndexBuild } from "./index-build.ts";
import { type IndexSpec, parseIndexSpec } from "./index-spec.ts";
import { IndexTable } from "./index-table.ts";
import { discard } from "./trash.ts";

const maxNamespaceBytes = 255;

/** The existing collections and indexes, read from SQLite once; call `reload` after a rollback. */
export class Catalog {
  readonly #database: Database;
  #collections = new Map<string, Collection>();
  // Survive a reload, because the builds continue.
  readonly #builds = new Map<string, Set<IndexBuild>>();

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
        new Collection(
          this.#database,
          Number(id),
          namespace,
          bufferOf(uuid),
          indexes,
          this.buildsOf(namespace),
        ),
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
    const collection = new Collection(this.#database, id, namespace, uuid, [], this.buildsOf(namespace));
    this.#collections.set(namespace, collection);
    this.addIndex(collection, idIndex());
    return collection;
  }

  /** The collection with this identity. Throws IndexBuildAborted if it has been dropped. */
  withUuid(namespace: string, uuid: Buffer): Collection {
    const collection = this.#collections.get(namespace);
    if (collection?.uuid.equals(uuid)) return collection;
    throw new StoreError("IndexBuildAborted", "The collection was dropped while its index was built");
  }

  /** The index builds of a collection, which may be dropped and created again meanwhile. */
  buildsOf(namespace: string): Set<IndexBuild> {
    const builds = this.#builds.get(namespace) ?? new Set();
    this.#builds.set(namespace, builds);
    return builds;
  }

  /** The tables of running index builds. */
  get building(): ReadonlySet<string> {
    return new Set([...this.#builds.values()].flatMap((builds) => Array.from(builds, ({ table }) => table)));
  }

  /** Adds an index, empty or with the entries of `build`. */
  addIndex(
    collection: Collection,
    spec: IndexSpec,
    build?: { table: string; multikey: readonly boolean[] },
  ): void {
    this.#database.begin();
    const multikey = build?.multikey ?? spec.fields.map(() => false);
    const insert = "INSERT INTO indexes (collection, name, spec, multikey) VALUES (?, ?, ?, ?)";
    const result = this.#database
      .statement(insert)
      .run(collection.id, spec.name, encodeDoc(spec.source), JSON.stringify(multikey));
    const id = Number(result.lastInsertRowid);
    if (build) this.#database.renameTable(build.table, `index_${id}`);
    else IndexTable.create(this.#database, `index_${id}`, spec);
    collection.indexes = [...collection.indexes, new IndexTable(this.#database, id, spec, multikey)];
  }

  dropIndex(collection: Collection, index: IndexTable): void {
    this.#database.begin();
    discard(this.#database, `index_${index.id}`);
    this.#database.statement("DELETE FROM indexes WHERE id = ?").run(index.id);
    collection.indexes = collection.indexes.filter((other) => other !== index);
  }

  drop(db: string, name: string): boolean {
    const collection = this.find(db, name);
    if (!collection) return false;
    for (const index of collection.indexes) this.dropIndex(collection, index);
    this.#database.begin();
    discard(this.#database, `documents_${collection.id}`);
    this.#database.statement("DELETE FROM collections WHERE id = ?").run(collection.id);
    this.#collections.delete(`${db}.${name}`);
    return true;
  }
}

/** The index that every collection has. */
export function idIndex(): IndexSpec {
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
