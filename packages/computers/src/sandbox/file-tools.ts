import type { JsonValue } from "@muster/language";
import { nextTurn } from "@muster/large-data";
import { homeDirectory } from "../files/limits.ts";
import type { VolumeNode } from "../files/node.ts";
import { joinNames, splitPath } from "../files/paths.ts";
import { userPath } from "../files/user-path.ts";
import type { Volume } from "../files/volume.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { ArgumentError } from "../tools/arguments.ts";
import { listResult, readFileResult, readListing, readWriting } from "../tools/file-results.ts";
import type { SandboxLimits } from "./default-sandbox-limits.ts";

/** The access that a tool needs to the computer's files. */
export interface FileAccess {
  volume: Volume;
  blobs: BlobStore;
  epoch: number;
  /** Files elsewhere would not be there in commands. */
  filesBelow: string;
  limits: SandboxLimits;
  now(): number;
}

/** A result, and whether the volume has changed. */
export interface FileResult {
  result: JsonValue;
  changed: boolean;
}

const unchanged = (result: JsonValue): FileResult => ({ result, changed: false });

export async function readTool(args: JsonValue, access: FileAccess): Promise<FileResult> {
  const result = await readFileResult(args, access.limits.maxResultBytes, (given) => {
    const path = userPath(given);
    const { stored } = access.volume.file(path);
    return { path, content: stored === undefined ? noContent() : access.blobs.read(stored.blob) };
  });
  return unchanged(result);
}

async function* noContent(): AsyncGenerator<Uint8Array> {}

export async function writeTool(args: JsonValue, access: FileAccess): Promise<FileResult> {
  const { path: given, content, append } = readWriting(args);
  const path = userPath(given);
  const before = append ? existingBlob(access.volume, path) : undefined;
  const size = await storeFile(
    access,
    path,
    before === undefined ? [content] : joined(access.blobs.read(before), content),
  );
  return { result: { path, size }, changed: true };
}

function existingBlob(volume: Volume, path: string): string | undefined {
  return volume.find(path) === undefined ? undefined : volume.file(path).stored?.blob;
}

async function* joined(before: AsyncIterable<Uint8Array>, more: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* before;
  yield more;
}

/** Stores a content and then names it in the volume. Returns its size. */
export async function storeFile(
  { volume, blobs, epoch, filesBelow, limits, now }: FileAccess,
  path: string,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<number> {
  volume.checkFile(path);
  if (!path.startsWith(filesBelow))
    throw new ArgumentError(`Only files below ${filesBelow} are kept on this computer, not ${path}.`);
  const writer = blobs.writer(epoch);
  try {
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > limits.maxBytes) break;
      await writer.write(chunk);
      await nextTurn();
    }
    const mode = volume.find(path)?.mode ?? 0o644;
    volume.checkRoom(path, size);
    volume.writeStored(path, { blob: await writer.finish(), size, mode, mtimeMs: now() });
    return size;
  } finally {
    await writer.drop();
  }
}

export function listTool(args: JsonValue, { volume, limits }: FileAccess): FileResult {
  const { path: given, recursive } = readListing(args, homeDirectory);
  const path = userPath(given);
  const found = entriesIn(volume, path, recursive, limits.maxListed + 1);
  const entries = found.map(({ path, node }) => ({ path, ...node }));
  return unchanged(listResult(path, entries, limits.maxListed));
}

export interface FoundEntry {
  path: string;
  node: VolumeNode;
}

/** In the order of their paths, parents before their children. */
export function entriesIn(volume: Volume, path: string, recursive: boolean, max: number): FoundEntry[] {
  const found: FoundEntry[] = [];
  const visit = (names: readonly string[], node: VolumeNode): void => {
    if (node.type !== "directory") return;
    for (const name of [...node.children.keys()].sort()) {
      const child = node.children.get(name);
      if (child === undefined || found.length >= max) return;
      found.push({ path: joinNames([...names, name]), node: child });
      if (recursive) visit([...names, name], child);
    }
  };
  const directory = volume.directory(path);
  visit(splitPath(path), directory);
  return found;
}
