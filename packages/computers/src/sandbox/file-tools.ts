import type { JsonValue } from "@muster/language";
import { nextTurn } from "@muster/large-data";
import { homeDirectory } from "../files/limits.ts";
import type { VolumeNode } from "../files/node.ts";
import { joinNames, splitPath } from "../files/paths.ts";
import { NotTextError, readLines } from "../files/read-lines.ts";
import { userPath } from "../files/user-path.ts";
import type { Volume } from "../files/volume.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { ArgumentError, optionalPath, readArguments, requiredPath } from "../tools/arguments.ts";
import { defaultLines, maxContentLength, maxLines } from "../tools/definitions.ts";
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
  const read = readArguments(args);
  const path = userPath(requiredPath(read, "path"));
  const firstLine = read.integer("offset", { min: 1, max: Number.MAX_SAFE_INTEGER }, 1);
  const lines = read.integer("limit", { min: 1, max: maxLines }, defaultLines);
  const { stored } = access.volume.file(path);
  const content = stored === undefined ? noContent() : access.blobs.read(stored.blob);
  const { isCut, ...found } = await readText(path, () =>
    readLines(content, { firstLine, lines, maxBytes: access.limits.maxResultBytes }),
  );
  if (found.lastLine === 0 && firstLine > 1) {
    throw new ArgumentError(`${path} has only ${found.totalLines} lines.`);
  }
  return unchanged({ path, ...found, ...hint(path, found.lastLine, found.totalLines, isCut) });
}

function hint(path: string, lastLine: number, totalLines: number, isCut: boolean): { note?: string } {
  if (isCut)
    return {
      note: `Line ${lastLine} is longer than what is shown. Read parts of it with: cut -c 1-1000 ${path}`,
    };
  return lastLine < totalLines ? { note: `There are more lines: continue with offset ${lastLine + 1}.` } : {};
}

async function readText<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof NotTextError)) throw error;
    throw new ArgumentError(
      `${path} is not a UTF-8 text file. Look at it with shell__run_command, for example: od -c ${path} | head`,
    );
  }
}

async function* noContent(): AsyncGenerator<Uint8Array> {}

export async function writeTool(args: JsonValue, access: FileAccess): Promise<FileResult> {
  const read = readArguments(args);
  const path = userPath(requiredPath(read, "path"));
  const content = Buffer.from(read.requiredText("content", maxContentLength));
  const before = read.flag("append") ? existingBlob(access.volume, path) : undefined;
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
  const read = readArguments(args);
  const path = userPath(optionalPath(read, "path", homeDirectory));
  const found = entriesIn(volume, path, read.flag("recursive"), limits.maxListed + 1);
  const entries = found.slice(0, limits.maxListed).map(describe);
  const more = found.length > limits.maxListed;
  const note = more
    ? {
        note: `Only the first ${limits.maxListed} entries are shown. Use find or ls with shell__run_command.`,
      }
    : {};
  return unchanged({ path, entries, ...note });
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

function describe({ path, node }: FoundEntry): JsonValue {
  const modified = new Date(node.mtimeMs).toISOString();
  if (node.type === "directory") return { path, type: "directory", modified };
  if (node.type === "symlink") return { path, type: "symlink", target: node.target, modified };
  return { path, type: "file", size: node.size, modified };
}
