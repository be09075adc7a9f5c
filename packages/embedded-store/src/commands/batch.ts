import { doc } from "../bson/plain.ts";
import { checkFrame, checkStored } from "../bson/validate.ts";
import { Doc, int64 } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import { read } from "../query/source.ts";
import type { Steps } from "../steps.ts";
import { maxDocumentBytes } from "../storage/collection.ts";
import type { OpenCursor } from "../storage/cursor-table.ts";
import { CommandArguments } from "./arguments.ts";

/** Default number of documents in the first batch, as on MongoDB. */
export const defaultBatchSize = 101;

/** A reply contains at most 16 MB of documents, as on MongoDB, but always at least one. */
const maxBatchBytes = maxDocumentBytes;

/** Reads the next documents from a cursor; `ended` is true if none are left. */
export function* nextBatch(
  { database }: Store,
  cursor: OpenCursor,
  size: number,
): Steps<{ batch: Buffer[]; ended: boolean }> {
  const batch: Buffer[] = [];
  let bytes = 0;
  const take = (content: Buffer): boolean => {
    if (batch.length > 0 && bytes + content.length > maxBatchBytes) {
      cursor.held = content;
      return false;
    }
    checkFrame(content);
    // Checking everything would cost a third of the time that a find takes.
    if (database.isSuspect) checkStored(content);
    batch.push(content);
    bytes += content.length;
    return batch.length < size;
  };
  const { held } = cursor;
  if (held) {
    delete cursor.held;
    if (!take(held)) return { batch, ended: false };
  }
  const ended = yield* read(cursor.source, ({ content }) => take(cursor.present(content)));
  return { batch, ended: ended && cursor.held === undefined };
}

/** Builds the `cursor` part of a reply; the cursor stays open if documents are left. */
export function* firstBatch(store: Store, cursor: OpenCursor, size: number, single = false): Steps<Doc> {
  const { batch, ended } = size === 0 ? { batch: [], ended: false } : yield* nextBatch(store, cursor, size);
  const id = ended || single ? 0n : store.cursors.add(cursor);
  return doc({ cursor: { firstBatch: rawDocs(batch), id: int64(id), ns: cursor.namespace } });
}

/** The reply of a command whose documents fit into one batch, whatever its size. */
export function wholeBatch(args: CommandArguments, ns: string, firstBatch: readonly Doc[]): Doc {
  const options = new CommandArguments(args.doc("cursor") ?? new Doc(), "cursor");
  options.allowOnly(["batchSize"], false);
  return doc({ cursor: { firstBatch, id: int64(0n), ns } });
}

export function rawDocs(batch: readonly Buffer[]): Doc[] {
  return batch.map((raw) => Doc.fromRaw(raw));
}
