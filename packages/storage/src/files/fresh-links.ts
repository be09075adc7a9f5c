import { Secret } from "@muster/service";
import { createFileAddresses } from "./file-addresses.ts";
import { pathOfFile, readFileUrl } from "./file-urls.ts";
import type { FileKey } from "./storage.ts";

/** Everything that fresh download URLs need: plain data, for any thread. Never log it. */
export interface LinkSigning {
  /** Those of the installation, revealed. */
  keys: readonly string[];
  nowMs: number;
  projectId: string;
  /** Whose files get fresh URLs. */
  ownerIds: readonly string[];
  /** The beginning of fresh URLs, such as `https://muster.example.com`. */
  baseUrl: string;
}

/** A URL that works for less than this is replaced. Others stay, so that readers see the same URL again. */
const minLifetimeMs = 60 * 60_000;

/**
 * Returns a function that renews the download URLs of the owners' files, and returns every other URL unchanged. The
 * sender of a URL chose its host, which must not receive a signature that works.
 */
export function createFreshLinks(signing: LinkSigning): (url: string) => string {
  const { nowMs, projectId, ownerIds, baseUrl } = signing;
  const keys = signing.keys.map((key) => new Secret(key));
  const addresses = createFileAddresses({ keys, clock: { now: () => nowMs } });
  const later = createFileAddresses({ keys, clock: { now: () => nowMs + minLifetimeMs } });
  const isOwned = (key: FileKey) => key.projectId === projectId && ownerIds.includes(key.ownerId);
  return (text) => {
    const { id, signature = "" } = readFileUrl(text) ?? {};
    const key = addresses.recogniseDownload(signature);
    if (key === undefined || key.id !== id || !isOwned(key)) return text;
    if (later.readDownload(signature) !== undefined) return text;
    return baseUrl + pathOfFile({ id: key.id, signature: addresses.signForReaders(key) });
  };
}
