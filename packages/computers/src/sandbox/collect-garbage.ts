import { epochInName } from "../files/blob-name.ts";
import { blobsIn } from "../files/load.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { ComputerDocument } from "../store/documents.ts";

/**
 * Deletes the contents that have no references left. Only for the holder of the computer while it writes nothing: a
 * newer one refers to contents of this document or to those with its own epoch, and those stay. So nothing depends on
 * time.
 */
export async function collectGarbage(blobs: BlobStore, document: ComputerDocument): Promise<number> {
  const present = await blobs.list();
  if (present.length === 0) return 0;
  const needed = await neededBlobs(blobs, document);
  const garbage = present.filter((name) => epochInName(name) <= document.epoch && !needed.has(name));
  await blobs.delete(garbage);
  await blobs.deleteUnfinished(document.epoch);
  return garbage.length;
}

async function neededBlobs(
  blobs: BlobStore,
  { manifest, snapshots, outcomes }: ComputerDocument,
): Promise<Set<string>> {
  const needed = new Set<string>();
  const manifests = new Set(snapshots.map(({ id }) => id));
  if (manifest !== null) manifests.add(manifest);
  for (const name of manifests) {
    needed.add(name);
    for (const blob of await blobsIn(await blobs.readAll(name))) needed.add(blob);
  }
  for (const { blob } of outcomes) if (blob !== undefined) needed.add(blob);
  return needed;
}
