import { hash } from "node:crypto";
import type { Files } from "./files.ts";
import { type FileRules, fileLimits } from "./limits.ts";
import type { FileReference } from "./name-of-file.ts";
import { filesUnset } from "./settings.ts";
import type { FileKey } from "./storage.ts";
import { storedUrl } from "./stored-urls.ts";

/** A file that a tool or a model has made. */
export interface MadeFile {
  /** 1-255 characters without path separators or control characters. */
  name: string;
  mediaType: string;
  content: Uint8Array;
}

export interface KeptFiles {
  /** With stored URLs; see `storedUrl`. */
  files: Required<FileReference>[];
  /** Sentences for models about those that were not kept. */
  problems: string[];
}

export interface KeepOptions {
  /** Undefined: the installation stores no files. */
  files: Pick<Files, "addresses" | "storage"> | undefined;
  rules: Pick<FileRules, "maxBytes">;
  owner: Pick<FileKey, "projectId" | "ownerId">;
  /** Identifies the maker: the ids of a turn and a call. */
  origin: string;
  onFailure(error: unknown): void;
}

/** Keeps files as those that callers upload are kept. May be repeated: the same content of an origin is the same file. Never rejects. */
export async function keepFiles(options: KeepOptions, made: readonly MadeFile[]): Promise<KeptFiles> {
  const kept: KeptFiles = { files: [], problems: [] };
  if (made.length === 0) return kept;
  const { files, rules, owner, origin, onFailure } = options;
  if (files === undefined) return { files: [], problems: [filesUnset] };
  for (const [index, { name, mediaType, content }] of made.entries()) {
    const size = content.byteLength;
    if (index === fileLimits.files) {
      kept.problems.push(`Only the first ${fileLimits.files} files of a result are kept.`);
      break;
    }
    if (size === 0 || size > rules.maxBytes) {
      const problem = size === 0 ? "is empty" : `has ${size} bytes, and the limit is ${rules.maxBytes}`;
      kept.problems.push(`The file ${name} was not kept: it ${problem}.`);
      continue;
    }
    const seed = [origin, String(index), mediaType, hash("sha256", content)].join(" ");
    const key = { ...owner, id: `file_${hash("sha256", seed).slice(0, 32)}` };
    try {
      await files.storage.put({ ...key, mediaType, size, filename: name }, once(content));
      const url = storedUrl(files.addresses, key);
      kept.files.push({ id: key.id, mediaType, url, filename: name, size });
    } catch (error) {
      onFailure(error);
      kept.problems.push(`The file ${name} could not be stored.`);
    }
  }
  return kept;
}

async function* once(content: Uint8Array) {
  yield content;
}
