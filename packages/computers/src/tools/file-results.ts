import type { JsonValue } from "@muster/language/json";
import { NotTextError, readLines } from "../files/read-lines.ts";
import { ArgumentError, optionalPath, readArguments, requiredPath } from "./arguments.ts";
import { defaultLines, maxContentLength, maxLines } from "./definitions.ts";

/** A file that is read, with its absolute path. */
export interface OpenedFile {
  path: string;
  content: AsyncIterable<Uint8Array>;
}

/** Carries out `files__read`. `open` gets the path as the model writes it. */
export async function readFileResult(
  args: JsonValue,
  maxBytes: number,
  open: (path: string) => OpenedFile | Promise<OpenedFile>,
): Promise<JsonValue> {
  const read = readArguments(args);
  const given = requiredPath(read, "path");
  const firstLine = read.integer("offset", { min: 1, max: Number.MAX_SAFE_INTEGER }, 1);
  const lines = read.integer("limit", { min: 1, max: maxLines }, defaultLines);
  const { path, content } = await open(given);
  const { isCut, ...found } = await textOf(path, () => readLines(content, { firstLine, lines, maxBytes }));
  if (found.lastLine === 0 && firstLine > 1) {
    throw new ArgumentError(`${path} has only ${found.totalLines} lines.`);
  }
  return { path, ...found, ...hint(path, found.lastLine, found.totalLines, isCut) };
}

async function textOf<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof NotTextError)) throw error;
    throw new ArgumentError(
      `${path} is not a UTF-8 text file. Look at it with shell__run_command, for example: od -c ${path} | head`,
    );
  }
}

function hint(path: string, lastLine: number, totalLines: number, isCut: boolean): { note?: string } {
  if (isCut)
    return {
      note: `Line ${lastLine} is longer than what is shown. Read parts of it with: cut -c 1-1000 ${path}`,
    };
  return lastLine < totalLines ? { note: `There are more lines: continue with offset ${lastLine + 1}.` } : {};
}

/** The arguments of `files__write`. */
export function readWriting(args: JsonValue) {
  const read = readArguments(args);
  return {
    path: requiredPath(read, "path"),
    content: Buffer.from(read.requiredText("content", maxContentLength)),
    append: read.flag("append"),
  };
}

/** The arguments of `files__list`. */
export function readListing(args: JsonValue, home: string) {
  const read = readArguments(args);
  return { path: optionalPath(read, "path", home), recursive: read.flag("recursive") };
}

/** An entry of a directory with its absolute path. */
export type ListedEntry = { path: string; mtimeMs: number } & (
  | { type: "directory" }
  | { type: "symlink"; target: string }
  | { type: "file"; size: number }
);

/** The result of `files__list`: at most `max` of the entries. */
export function listResult(path: string, found: readonly ListedEntry[], max: number): JsonValue {
  const entries = found.slice(0, max).map(describe);
  if (found.length <= max) return { path, entries };
  const note = `Only the first ${max} entries are shown. Use find or ls with shell__run_command.`;
  return { path, entries, note };
}

function describe(entry: ListedEntry): JsonValue {
  const { path, type } = entry;
  const modified = new Date(entry.mtimeMs).toISOString();
  if (type === "directory") return { path, type, modified };
  if (type === "symlink") return { path, type, target: entry.target, modified };
  return { path, type, size: entry.size, modified };
}
