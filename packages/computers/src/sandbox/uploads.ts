import type { BlobStore, BlobWriter } from "../store/blob-store.ts";

/** Files that are written to disk at once: syncing many small ones one by one would take seconds. */
const maxPending = 8;

/** Stores the contents that a process sends, one after the other. */
export function createUploads(blobs: BlobStore, epoch: number) {
  const stored = new Set<string>();
  const pending = new Set<Promise<void>>();
  let current: BlobWriter | undefined;
  let failure: unknown;

  const finish = async (writer: BlobWriter, onStored?: (name: string) => void): Promise<void> => {
    try {
      const name = await writer.finish();
      stored.add(name);
      onStored?.(name);
    } catch (error) {
      failure ??= error;
    } finally {
      await writer.drop();
    }
  };
  return {
    async add(chunk: Uint8Array): Promise<void> {
      current ??= blobs.writer(epoch);
      await current.write(chunk);
    },
    /** The content is complete; its name follows when it is on disk. */
    async next(onStored?: (name: string) => void): Promise<void> {
      const writer = current ?? blobs.writer(epoch);
      current = undefined;
      const task = finish(writer, onStored);
      pending.add(task);
      void task.then(() => pending.delete(task));
      if (pending.size >= maxPending) await Promise.race(pending);
      if (failure !== undefined) throw failure;
    },
    /** The names of all contents, once they are on disk. */
    async end(): Promise<ReadonlySet<string>> {
      await Promise.all(pending);
      if (failure !== undefined) throw failure;
      return stored;
    },
    async drop(): Promise<void> {
      await Promise.all(pending);
      await current?.drop();
    },
  };
}
