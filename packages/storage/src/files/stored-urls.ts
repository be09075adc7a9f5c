import type { FileAddresses } from "./file-addresses.ts";
import { pathOfFile } from "./file-urls.ts";
import { ownFile } from "./own-file.ts";
import type { FileKey } from "./storage.ts";

/** No host has this name. */
const nowhere = "https://files.muster.invalid";
const storedUrls =
  /https:\/\/files\.muster\.invalid\/api\/files\/[A-Za-z0-9_-]{1,100}\?signature=[A-Za-z0-9_.-]{1,4096}/g;

/**
 * The URL that is stored with a file which the platform has made. It works nowhere: the platform does not know the addresses
 * under which it is reached, so each reader gets a URL that begins with the address of the request.
 */
export function storedUrl({ signStored }: Pick<FileAddresses, "signStored">, key: FileKey): string {
  return nowhere + pathOfFile({ id: key.id, signature: signStored(key) });
}

/** Who reads. `baseUrl`: the beginning of URLs, such as `https://muster.example.com`. */
export interface Reader {
  projectId: string;
  baseUrl: string;
}

/** Replaces each stored URL in JSON by one that works, if the file is of the reader's project. */
export function withReaderUrls(
  json: string,
  addresses: FileAddresses,
  { projectId, baseUrl }: Reader,
): string {
  if (!json.includes(nowhere)) return json;
  return json.replace(storedUrls, (url) => {
    const key = ownFile({ addresses }, url);
    if (key?.projectId !== projectId) return url;
    return baseUrl + pathOfFile({ id: key.id, signature: addresses.signForReaders(key) });
  });
}
