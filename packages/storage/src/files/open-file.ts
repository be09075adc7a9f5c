import { FetchProblem, type GuardedFetch } from "@muster/guarded-fetch";
import type { Files } from "./files.ts";
import type { FileRules } from "./limits.ts";
import { type FileReference, nameOfFile } from "./name-of-file.ts";
import { ownFile } from "./own-file.ts";

/** The sources of the content of files. */
export interface FileSources {
  /** Uploaded files. Undefined: there are none. */
  files: Pick<Files, "addresses" | "storage"> | undefined;
  /** Fetches files from URLs of callers. */
  fetchFile: GuardedFetch;
  rules: FileRules;
}

/** Why a file could not be had: a sentence for the caller. `isOwn`: this installation should have it. */
export class FileUnavailable extends Error {
  readonly isOwn: boolean;

  constructor(isOwn: boolean, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FileUnavailable";
    this.isOwn = isOwn;
  }
}

const timeoutMs = 60_000;
const stallMs = 15_000;

/** The content of a file, at most so many bytes. Throws FileUnavailable, and the reason of the signal. */
export async function* openFile(
  { files, fetchFile, rules }: FileSources,
  file: FileReference,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const key = ownFile(files, file.url);
  const name = nameOfFile(file);
  if (files === undefined || key === undefined) {
    const limit = Math.min(maxBytes, rules.maxBytes);
    yield* fetched(fetchFile, { url: file.url, name, limit }, signal);
    return;
  }
  const stored = await files.storage.open(key).catch((error: unknown) => {
    throw new FileUnavailable(true, `The file ${name} could not be read.`, { cause: error });
  });
  if (stored === undefined) throw new FileUnavailable(true, `The file ${name} is no longer stored.`);
  try {
    yield* stored.read();
  } catch (error) {
    throw new FileUnavailable(true, `The file ${name} could not be read.`, { cause: error });
  }
}

async function* fetched(
  fetchFile: GuardedFetch,
  { url, name, limit }: { url: string; name: string; limit: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const response = await fetchFile(url, { maxBytes: limit, timeoutMs, stallMs }, signal);
    if (!response.ok) {
      response.body.destroy();
      const message = `The file ${name} could not be fetched: its server responded with status ${response.status}.`;
      throw new FileUnavailable(false, message);
    }
    yield* response.body;
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error;
    throw new FileUnavailable(false, `The file ${name} could not be fetched. ${error.message}`, {
      cause: error,
    });
  }
}
