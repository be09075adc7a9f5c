import { blobNamePattern } from "./blob-name.ts";
import type { VolumeNode } from "./node.ts";
import { joinNames, splitPath } from "./paths.ts";
import type { Volume } from "./volume.ts";

// A manifest lists the entries of a volume, one line of JSON each, parents before their children:
//   {"version":1}
//   ["d", path, mode, mtimeMs]  ["f", path, mode, mtimeMs, size, blob]  ["l", path, mode, mtimeMs, target]

const header = '{"version":1}';

/** Entries between two breaks, for a caller that must not block its main loop. */
const entriesPerSlice = 500;

/** An entry of a manifest. */
export type ManifestEntry =
  | { type: "directory"; path: string; mode: number; mtimeMs: number }
  | { type: "file"; path: string; mode: number; mtimeMs: number; size: number; blob: string }
  | { type: "symlink"; path: string; mode: number; mtimeMs: number; target: string };

/** The manifest is not one that a volume wrote. */
export class ManifestError extends Error {
  constructor(problem: string) {
    super(`The list of files is damaged: ${problem}.`);
    this.name = "ManifestError";
  }
}

/**
 * The lines of a volume, several in a piece. Every file must be stored. `skip` leaves out entries, with everything
 * below them.
 */
export function* writeManifest(
  volume: Volume,
  skip: (path: string) => boolean = () => false,
): Generator<string> {
  let lines = [header];
  const waiting: [string[], VolumeNode][] = childrenOf([], volume.root);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [names, node] = next;
    const path = joinNames(names);
    if (skip(path)) continue;
    lines.push(lineOf(path, node));
    if (lines.length >= entriesPerSlice) {
      yield `${lines.join("\n")}\n`;
      lines = [];
    }
    if (node.type === "directory") waiting.push(...childrenOf(names, node));
  }
  yield `${lines.join("\n")}\n`;
}

/** In reverse order of names, for a stack. */
function childrenOf(names: string[], node: VolumeNode): [string[], VolumeNode][] {
  if (node.type !== "directory") return [];
  const sorted = [...node.children].sort(([a], [b]) => (a < b ? 1 : -1));
  return sorted.map(([name, child]) => [[...names, name], child]);
}

function lineOf(path: string, node: VolumeNode): string {
  const common = [path, node.mode, node.mtimeMs];
  if (node.type === "directory") return JSON.stringify(["d", ...common]);
  if (node.type === "symlink") return JSON.stringify(["l", ...common, node.target]);
  if (node.stored === undefined) throw new Error(`the content of ${path} has not been stored`);
  return JSON.stringify(["f", ...common, node.stored.size, node.stored.blob]);
}

/** The entries, several at a time, so that the caller can take a break. Throws {@link ManifestError}. */
export function* readManifest(text: Uint8Array): Generator<ManifestEntry[]> {
  if (text.length === 0) return;
  let entries: ManifestEntry[] = [];
  let start = 0;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let line = 0; start < text.length; line++) {
    const end = text.indexOf(newline, start);
    if (end < 0) throw new ManifestError("its last line is cut");
    const content = decodeLine(decoder, text.subarray(start, end));
    start = end + 1;
    if (line === 0) {
      if (content !== header) throw new ManifestError("its first line is not known");
      continue;
    }
    entries.push(readEntry(content));
    if (entries.length >= entriesPerSlice) {
      yield entries;
      entries = [];
    }
  }
  yield entries;
}

const newline = 10;

function decodeLine(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ManifestError("a line is not text");
  }
}

function readEntry(line: string): ManifestEntry {
  const [kind, path, mode, mtimeMs, first, second, ...rest] = parseLine(line);
  const known =
    typeof path === "string" && path === joinNames(splitPath(path)) && path !== "/" && rest.length === 0;
  if (!known || !isCount(mode) || mode > 0o7777 || typeof mtimeMs !== "number" || !Number.isFinite(mtimeMs)) {
    throw new ManifestError("an entry is wrong");
  }
  if (kind === "d" && first === undefined) return { type: "directory", path, mode, mtimeMs };
  if (kind === "l" && typeof first === "string" && second === undefined) {
    return { type: "symlink", path, mode, mtimeMs, target: first };
  }
  if (kind === "f" && isCount(first) && typeof second === "string" && blobNamePattern.test(second)) {
    return { type: "file", path, mode, mtimeMs, size: first, blob: second };
  }
  throw new ManifestError("an entry is wrong");
}

function parseLine(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    if (Array.isArray(value)) return value;
  } catch {}
  throw new ManifestError("a line is not a list");
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Adds the entries to a volume. */
export function addEntries(volume: Volume, entries: readonly ManifestEntry[]): void {
  for (const entry of entries) {
    if (entry.type === "file") {
      volume.writeStored(entry.path, entry);
      continue;
    }
    if (entry.type === "directory") volume.makeDirectory(entry.path, { recursive: true, mode: entry.mode });
    else volume.link(entry.target, entry.path);
    const node = volume.get(entry.path, { followLast: false });
    node.mode = entry.mode;
    node.mtimeMs = entry.mtimeMs;
  }
}
