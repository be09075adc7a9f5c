import { createHash } from "node:crypto";
import type { Collection as TargetCollection } from "mongodb";
import { checkStored } from "../bson/validate.ts";
import { Doc } from "../bson/value.ts";
import { openQuery } from "../query/cursor.ts";
import { MemoryPool } from "../query/memory.ts";
import type { Collection } from "../storage/collection.ts";

/** The comparison of a collection: the number of documents, and a hash that does not depend on their order. */
export class Fingerprint {
  documents = 0;
  readonly #hash = Buffer.alloc(32);

  add(content: Uint8Array): void {
    this.documents++;
    const own = createHash("sha256").update(content).digest();
    for (const [i, byte] of own.entries()) this.#hash[i] = (this.#hash[i] ?? 0) ^ byte;
  }

  equals(other: Fingerprint): boolean {
    return this.documents === other.documents && this.#hash.equals(other.#hash);
  }
}

/** One insert: far below the limit of a message, whatever the documents are. */
const batchBytes = 4 * 1024 * 1024;
const batchDocuments = 1000;

/** All documents of a collection, in batches. Throws DamagedDocument. */
export function* batchesOf(collection: Collection): Generator<Buffer[]> {
  const query = { filter: { kind: "and" as const, parts: [] }, sort: [], skip: 0, limit: 0 };
  const source = openQuery(collection, query, new MemoryPool().open());
  for (;;) {
    const batch: Buffer[] = [];
    let bytes = 0;
    const progress = source.run(({ content }) => {
      checkStored(content);
      batch.push(content);
      bytes += content.length;
      return batch.length < batchDocuments && bytes < batchBytes;
    });
    if (batch.length > 0) yield batch;
    if (progress === "ended") return;
  }
}

export function fingerprintOf(collection: Collection): Fingerprint {
  const found = new Fingerprint();
  for (const batch of batchesOf(collection)) for (const content of batch) found.add(content);
  return found;
}

export async function fingerprintOfTarget(collection: TargetCollection): Promise<Fingerprint> {
  const found = new Fingerprint();
  for await (const content of collection.find({}, { raw: true })) {
    if (!(content instanceof Uint8Array)) throw new Error("the driver did not return a document unchanged");
    found.add(content);
  }
  return found;
}

export function docsOf(batch: readonly Buffer[]): Doc[] {
  return batch.map((content) => Doc.fromRaw(content));
}
