import { nextTurn } from "@muster/large-data";
import { addLayout } from "./layout.ts";
import type { VolumeLimits } from "./limits.ts";
import { addEntries, ManifestError, readManifest, writeManifest } from "./manifest.ts";
import { Volume } from "./volume.ts";

/** The volume of a manifest; an empty manifest is a new computer. Takes breaks, so that other work runs in between. */
export async function loadVolume(
  manifest: Uint8Array,
  now: () => number,
  limits: VolumeLimits,
): Promise<Volume> {
  const volume = new Volume(now, limits);
  addLayout(volume);
  for (const entries of readManifest(manifest)) {
    addEntries(volume, entries);
    await nextTurn();
  }
  return volume;
}

export async function saveVolume(volume: Volume): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for (const piece of writeManifest(volume)) {
    pieces.push(Buffer.from(piece));
    await nextTurn();
  }
  return Buffer.concat(pieces);
}

/** The names of all contents in a manifest. */
export async function blobsIn(manifest: Uint8Array): Promise<Set<string>> {
  const names = new Set<string>();
  for (const entries of readManifest(manifest)) {
    for (const entry of entries) if (entry.type === "file") names.add(entry.blob);
    await nextTurn();
  }
  return names;
}

/** The files are more than the computer may have. The message is for the model. */
export class VolumeFullError extends Error {
  override readonly name = "VolumeFullError";
}

/** Checks a manifest from a process: it names no content but known ones, and keeps to the limits. */
export async function checkManifest(
  manifest: Uint8Array,
  isKnown: (blob: string) => boolean,
  { maxBytes, maxEntries }: VolumeLimits,
): Promise<void> {
  const counted = new Set<string>();
  let bytes = 0;
  let count = 0;
  for (const entries of readManifest(manifest)) {
    count += entries.length;
    for (const entry of entries) {
      if (entry.type !== "file") continue;
      if (!isKnown(entry.blob)) throw new ManifestError("it names an unknown content");
      // Hard links have one content.
      if (!counted.has(entry.blob)) bytes += entry.size;
      counted.add(entry.blob);
    }
    if (count > maxEntries)
      throw new VolumeFullError(`There are more than ${maxEntries} files and directories.`);
    if (bytes > maxBytes)
      throw new VolumeFullError(`The files have more than ${maxBytes / 1024 / 1024} MiB.`);
    await nextTurn();
  }
}
