import { Secret } from "@muster/service";
import { createFileAddresses } from "./addresses.ts";
import type { FileKey } from "./file-record.ts";
import { readFileUrl } from "./file-urls.ts";

/** Everything that fresh download URLs need: plain data, for any thread. Never log it. */
export interface LinkSigning {
  /** Those of the installation, revealed. */
  keys: readonly string[];
  nowMs: number;
  projectId: string;
  /** Whose files get fresh URLs. */
  ownerIds: readonly string[];
}

/** A URL that works for less than this is replaced. Others stay, so that readers see the same URL again. */
const minLifetimeMs = 60 * 60_000;

/** Returns a function that renews the download URLs of the owners' files, and returns every other URL as it is. */
export function createFreshLinks(signing: LinkSigning): (url: string) => string {
  const { nowMs, projectId, ownerIds } = signing;
  const keys = signing.keys.map((key) => new Secret(key));
  const addresses = createFileAddresses({ keys, clock: { now: () => nowMs } });
  const later = createFileAddresses({ keys, clock: { now: () => nowMs + minLifetimeMs } });
  const isOwned = (key: FileKey) => key.projectId === projectId && ownerIds.includes(key.ownerId);
  return (text) => {
    const { id, signature = "" } = readFileUrl(text) ?? {};
    const key = addresses.recogniseDownload(signature);
    if (key === undefined || key.id !== id || !isOwned(key)) return text;
    if (later.readDownload(signature) !== undefined) return text;
    const url = new URL(text);
    url.searchParams.set("signature", addresses.signDownload(key));
    return url.href;
  };
}
