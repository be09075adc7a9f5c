import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { at, type FolderProblem, reasonOf } from "./problems.ts";

/** Line breaks and tabs are text; the server takes no other control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * The exact text of a file, byte order mark included, or undefined with a problem. `root` is the real path of the
 * folder: a link that leads out of it is not followed.
 */
export async function readText(
  root: string,
  path: string,
  maxBytes: number,
  problems: FolderProblem[],
): Promise<string | undefined> {
  try {
    const target = await realpath(join(root, path));
    if (!target.startsWith(root + sep)) throw new UnusableFile("is a link that leaves the folder.");
    return await readTarget(target, maxBytes);
  } catch (error) {
    const message = error instanceof UnusableFile ? error.message : reasonOf(error);
    problems.push({ path, message: /^Line /.test(message) ? message : `${path} ${message}` });
    return undefined;
  }
}

class UnusableFile extends Error {}

async function readTarget(target: string, maxBytes: number): Promise<string> {
  // Opening a named pipe would otherwise wait for its writer.
  const file = await open(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = await readBytes(file, maxBytes);
    return decode(bytes);
  } finally {
    await file.close();
  }
}

/** Looks at the size before anything is read, and reads no more than that. */
async function readBytes(file: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const stat = await file.stat();
  if (stat.isDirectory()) throw new UnusableFile("is a folder where a file should be.");
  if (!stat.isFile()) throw new UnusableFile("is not a regular file.");
  if (stat.size > maxBytes) {
    throw new UnusableFile(`may have at most ${maxBytes} bytes, not ${stat.size}.`);
  }
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(stat.size), position: 0 });
  return buffer.subarray(0, bytesRead);
}

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnusableFile("is not text in UTF-8. Save it in that encoding.");
  }
  const problem = textProblem(text);
  if (problem !== undefined) throw new UnusableFile(problem);
  return text;
}

/** Why a text cannot be part of a definition, as a sentence. */
export function textProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return "has half of a surrogate pair, which UTF-8 cannot say.";
  const offset = text.search(control);
  return offset < 0 ? undefined : at(text, offset, "Control characters are not allowed.");
}
