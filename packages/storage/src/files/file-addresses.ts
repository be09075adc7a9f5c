import type { Clock, Secret } from "@muster/service";
import { fileLimits } from "./limits.ts";
import { createSignedTexts } from "./signed-texts.ts";
import { type FileKey, type FileRecord, isFileKey } from "./storage.ts";

/** The signed texts in the addresses of files. Reading one returns undefined if it is not genuine or has expired. */
export type FileAddresses = ReturnType<typeof createFileAddresses>;

export interface FileAddressOptions {
  /** At least one. The first signs; all are accepted. Derived from the installation's secrets, for this use only. */
  keys: readonly Secret[];
  clock: Pick<Clock, "now">;
}

const hourMs = 60 * 60_000;

export function createFileAddresses({ keys, clock }: FileAddressOptions) {
  const texts = { keys, clock, use: "muster file addresses" };
  const { sign, read } = createSignedTexts<"upload" | "download">(texts);

  return {
    signUpload: ({ projectId, ownerId, id, mediaType, size, filename }: FileRecord) =>
      sign("upload", [projectId, ownerId, id, mediaType, size, filename], fileLimits.uploadLifetimeMs),
    readUpload: (text: string) => recordOf(read("upload", text)),
    signDownload: ({ projectId, ownerId, id }: FileKey) =>
      sign("download", [projectId, ownerId, id], fileLimits.downloadLifetimeMs),
    /** The same for an hour, so that a reader who polls sees one URL. */
    signForReaders: ({ projectId, ownerId, id }: FileKey) =>
      sign("download", [projectId, ownerId, id], fileLimits.downloadLifetimeMs - (clock.now() % hourMs)),
    /** For what is stored: it downloads nothing, but this installation recognises it. */
    signStored: ({ projectId, ownerId, id }: FileKey) => sign("download", [projectId, ownerId, id], 0),
    readDownload: (text: string) => keyOf(read("download", text)),
    /** The same, also after it has expired: for a reference that was accepted before. */
    recogniseDownload: (text: string) => keyOf(read("download", text, 0)),
  };
}

function keyOf(fields: readonly unknown[] | undefined): FileKey | undefined {
  const [projectId, ownerId, id] = fields ?? [];
  if (typeof projectId !== "string" || typeof ownerId !== "string" || typeof id !== "string")
    return undefined;
  const key = { projectId, ownerId, id };
  return isFileKey(key) ? key : undefined;
}

function recordOf(fields: readonly unknown[] | undefined): FileRecord | undefined {
  const key = keyOf(fields);
  const [, , , mediaType, size, filename] = fields ?? [];
  if (key === undefined || typeof mediaType !== "string" || typeof filename !== "string") return undefined;
  return typeof size === "number" ? { ...key, mediaType, size, filename } : undefined;
}
