import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "bson";
import { type Document, MongoClient, MongoError, type Db as TargetDb } from "mongodb";
import { BackupError } from "../backup/copy.ts";
import { encodeDoc } from "../bson/encode.ts";
import { openStore, type Store } from "../open-store.ts";
import type { Collection } from "../storage/collection.ts";
import { dataName } from "../storage/data-file.ts";
import { batchesOf, docsOf, fingerprintOf, fingerprintOfTarget } from "./content.ts";
import { typedDocument } from "./typed-document.ts";

/** A collection whose documents are the same in both places. */
export interface Moved {
  readonly namespace: string;
  readonly documents: number;
}

interface Entry {
  readonly db: string;
  readonly name: string;
  readonly collection: Collection;
}

/** In the target, in the first of its databases: which store has been moved there, and whether that is complete. */
const markerName = "muster_move";
const idName = "store.move";
const duplicateKey = 11000;

/**
 * Copies all collections of the store in a directory, which no server uses meanwhile, to an empty MongoDB, with their
 * indexes, and compares them by number and hash. If it was interrupted, another call continues. The directory remains.
 * Rejects with BackupError or DirectoryError, also if the target contains other data. `onMoved` is called for each collection.
 */
export async function moveTo(
  directory: string,
  uri: string,
  onMoved: (moved: Moved) => void = () => undefined,
): Promise<readonly Moved[]> {
  if (!existsSync(join(directory, dataName)))
    throw new BackupError(`${directory} does not contain a store; name the data folder of Muster`);
  const client = clientOf(uri);
  const store = openStore(directory);
  try {
    return await move(store, client, onMoved);
  } catch (error) {
    if (error instanceof MongoError) throw new BackupError(`the target refuses: ${error.message}`);
    throw error;
  } finally {
    store.database.close();
    await client.close();
  }
}

function clientOf(uri: string): MongoClient {
  try {
    return new MongoClient(uri, { serverSelectionTimeoutMS: 5000, writeConcern: { w: "majority" } });
  } catch {
    // The driver's words may repeat the password.
    throw new BackupError("the address of the target is not a valid connection string");
  }
}

async function move(
  store: Store,
  client: MongoClient,
  onMoved: (moved: Moved) => void,
): Promise<readonly Moved[]> {
  const entries = [...store.catalog.list()].sort((a, b) =>
    a.collection.namespace < b.collection.namespace ? -1 : 1,
  );
  const [first] = entries;
  if (!first) throw new BackupError("the store contains no data");
  const { setName, msg } = await client.db("admin").command({ hello: 1 });
  if (setName === undefined && msg !== "isdbgrid")
    throw new BackupError("the target is not a replica set, which Muster needs; start MongoDB as one");
  const names = new Set(entries.map(({ db }) => db));
  const end = await claim(idOf(store.database.directory), client, first.db, names);
  await dropOthers(client, names, entries);
  const moved: Moved[] = [];
  for (const entry of entries) {
    const target = client.db(entry.db);
    const documents = await copy(entry, target);
    await createIndexes(entry, target, (index) => index.expireAfterSeconds === undefined);
    const done = { namespace: entry.collection.namespace, documents };
    moved.push(done);
    onMoved(done);
  }
  // Last: from then on, the target removes expired documents, which therefore cannot be compared.
  for (const entry of entries)
    await createIndexes(entry, client.db(entry.db), (index) => index.expireAfterSeconds !== undefined);
  await end();
  return moved;
}

/** The name under which the target knows this store. */
function idOf(directory: string): string {
  const path = join(directory, idName);
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomUUID(), { flush: true });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, "utf8");
}

/** Takes an empty target for this store, or one that an interrupted move has left. Returns a function that notes the end. */
async function claim(
  id: string,
  client: MongoClient,
  first: string,
  names: ReadonlySet<string>,
): Promise<() => Promise<void>> {
  const markers = client.db(first).collection<{ _id: string; startedAt: Date; endedAt?: Date }>(markerName);
  const marker = await markers.findOne({ _id: id });
  if (marker?.endedAt)
    throw new BackupError(
      `it has been moved there completely (${marker.endedAt.toISOString()}); start Muster with MONGODB_URI`,
    );
  if (!marker) {
    for (const name of names) {
      if (await client.db(name).listCollections({}, { nameOnly: true }).hasNext())
        throw new BackupError(`the target contains other data: its database ${name} is not empty`);
    }
    await markers.insertOne({ _id: id, startedAt: new Date() });
  }
  return async () => {
    await markers.updateOne({ _id: id }, { $set: { endedAt: new Date() } });
  };
}

/** Removes the collections of an interrupted move that the store no longer contains. */
async function dropOthers(
  client: MongoClient,
  names: ReadonlySet<string>,
  entries: readonly Entry[],
): Promise<void> {
  const kept = new Set(entries.map(({ collection }) => collection.namespace));
  for (const db of names) {
    for (const { name } of await client.db(db).listCollections({}, { nameOnly: true }).toArray())
      if (name !== markerName && !kept.has(`${db}.${name}`)) await client.db(db).dropCollection(name);
  }
}

/**
 * Makes a collection of the target the same. Adds what is missing, and begins again if that does not suffice, because the
 * store has changed since an interrupted move. Returns the number of its documents.
 */
async function copy({ collection, name }: Entry, target: TargetDb): Promise<number> {
  const wanted = fingerprintOf(collection);
  const isSame = async () => wanted.equals(await fingerprintOfTarget(target.collection(name)));
  for (const isEmptied of [false, true]) {
    if (await isSame()) break;
    if (isEmptied) await target.collection(name).drop();
    for (const batch of batchesOf(collection)) await insert(target, name, batch);
    if (await isSame()) break;
    if (isEmptied)
      throw new BackupError(`${collection.namespace} is not the same in the target after the copy`);
  }
  return wanted.documents;
}

async function insert(target: TargetDb, name: string, batch: readonly Buffer[]): Promise<void> {
  const documents = docsOf(batch).map(typedDocument);
  const reply = await target.command({
    insert: name,
    documents,
    ordered: false,
    writeConcern: { w: "majority" },
  });
  const errors: { code: number; errmsg: string }[] = reply.writeErrors ?? [];
  // A duplicate is there from an interrupted move; whether it is the same shows the comparison.
  const failed = errors.find(({ code }) => code !== duplicateKey);
  if (failed) throw new BackupError(`the target refuses a document of ${name}: ${failed.errmsg}`);
}

async function createIndexes(
  { collection, name }: Entry,
  target: TargetDb,
  isWanted: (index: Document) => boolean,
): Promise<void> {
  const indexes = collection.indexes
    .map(({ spec }) => deserialize(encodeDoc(spec.source)))
    .filter((index) => index.name !== "_id_" && isWanted(index));
  if (indexes.length > 0)
    await target.command({ createIndexes: name, indexes, writeConcern: { w: "majority" } });
  // An empty collection exists only now, or with its indexes.
  else if (collection.isEmpty) await target.createCollection(name).catch(unlessExists);
}

const namespaceExists = 48;

function unlessExists(error: unknown): void {
  if (!(error instanceof MongoError && error.code === namespaceExists)) throw error;
}
