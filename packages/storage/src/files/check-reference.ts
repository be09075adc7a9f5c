import { FetchProblem } from "@muster/guarded-fetch";
import type { Files } from "./files.ts";
import type { FileReference } from "./name-of-file.ts";
import { isInTime, ownFile } from "./own-file.ts";
import type { FileKey, FileRecord } from "./storage.ts";

export interface ReferenceCheck {
  /** Uploaded files. Undefined: there are none. */
  files: Pick<Files, "addresses" | "storage"> | undefined;
  /** Throws FetchProblem for a URL that is never fetched. */
  checkUrl: (url: string) => URL;
  /** Whose uploaded files may be named. */
  isOwner(key: Pick<FileKey, "projectId" | "ownerId">): boolean;
  /** The owner in messages: `this agent`. */
  owner: string;
}

/** `record`: of an uploaded file. `problem`: the mistake in the URL, as the end of a sentence. */
export type CheckedReference = { record?: FileRecord } | { problem: string };

/**
 * Checks that a URL is one of a file that was uploaded for the owner, or a public https address. The size of a file at another
 * address is not known before it is fetched.
 */
export async function checkReference(
  { files, checkUrl, isOwner, owner }: ReferenceCheck,
  { url }: Pick<FileReference, "url">,
): Promise<CheckedReference> {
  const key = ownFile(files, url);
  if (files === undefined || key === undefined) return checkPublic(checkUrl, url, owner);
  if (!isOwner(key)) return { problem: `must be a download URL of ${owner}` };
  if (!isInTime(files, url)) return { problem: "has expired; upload the file again" };
  const stored = await files.storage.open(key);
  await stored?.close();
  return stored === undefined
    ? { problem: "has no content; upload the file first" }
    : { record: stored.record };
}

/** The same for a URL alone: without looking for the file, and also after the URL has expired. */
export function problemOfUrl(
  { files, checkUrl, isOwner, owner }: ReferenceCheck,
  url: string,
): string | undefined {
  const key = ownFile(files, url);
  if (key !== undefined) return isOwner(key) ? undefined : `must be a download URL of ${owner}`;
  const found = checkPublic(checkUrl, url, owner);
  return "problem" in found ? found.problem : undefined;
}

function checkPublic(checkUrl: (url: string) => URL, url: string, owner: string): CheckedReference {
  try {
    checkUrl(url);
    return {};
  } catch (error) {
    if (!(error instanceof FetchProblem)) throw error;
    return { problem: `must be a download URL of ${owner} or a public https address` };
  }
}
