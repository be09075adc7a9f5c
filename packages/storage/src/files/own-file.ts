import { readFileUrl } from "./file-urls.ts";
import type { Files } from "./files.ts";
import type { FileKey } from "./storage.ts";

/** The key of the file if this installation has signed the URL to download it, however long ago. */
export function ownFile(files: Pick<Files, "addresses"> | undefined, url: string): FileKey | undefined {
  const parts = readFileUrl(url);
  if (files === undefined || parts === undefined) return undefined;
  const key = files.addresses.recogniseDownload(parts.signature);
  return key?.id === parts.id ? key : undefined;
}

/** Whether the signed URL still works. */
export function isInTime({ addresses }: Pick<Files, "addresses">, url: string): boolean {
  return addresses.readDownload(readFileUrl(url)?.signature ?? "") !== undefined;
}
