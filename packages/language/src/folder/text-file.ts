import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { at, type FolderProblem, reasonOf } from "./problems.ts";

/** Line breaks and tabs are text; the server rejects other control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Returns the exact text of a file, including a byte order mark, or undefined with a problem. `root` is the real path
 * of the folder: links that lead out of it are not followed.
 */
export async function readText(
  root: string,
  path: string,
  maxBytes: number,
  problems: FolderProblem[],
): Promise<string | undefined> {
  try {
    const target = await realpath(join(root, path));
    if (!target.startsWith(root + sep)) throw new UnusableFile("is a link to a file outside the folder.");
    return await readTarget(target, maxBytes);
  } catch (error) {
    const message = error instanceof UnusableFile ? error.message : reasonOf(error);
    problems.push({ path, message: /^Line /.test(message) ? message : `${path} ${message}` });
    return undefined;
  }
}

class UnusableFile extends Error {}

async function readTarget(target: string, maxBytes: number): Promise<string> {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const file = await open(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = await readBytes(file, maxBytes);
    return decode(bytes);
  } finally {
    await file.close();
  }
}

/** Checks the size before reading, and reads no more than that. */
async function readBytes(file: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const stat = await file.stat();
  if (stat.isDirectory()) throw new UnusableFile("is a folder, but must be a file.");
  if (!stat.isFile()) throw new UnusableFile("is not a regular file.");
  if (stat.size > maxBytes) {
    throw new UnusableFile(`has ${stat.size} bytes; the maximum is ${maxBytes}.`);
  }
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(stat.size), position: 0 });
  return buffer.subarray(0, bytesRead);
}

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnusableFile("is not UTF-8 text. Save it as UTF-8.");
  }
  const problem = textProblem(text);
  if (problem !== undefined) throw new UnusableFile(problem);
  return text;
}

/** Returns why a text cannot be part of a definition. */
export function textProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return "contains half of a surrogate pair, which UTF-8 cannot encode.";
  const offset = text.search(control);
  return offset < 0 ? undefined : at(text, offset, "Control characters are not allowed.");
}
