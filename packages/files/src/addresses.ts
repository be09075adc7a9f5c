import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Clock, Secret } from "@muster/service";
import { type FileKey, type FileRecord, isFileKey } from "./file-record.ts";
import { fileLimits } from "./limits.ts";

/** The signed texts in the addresses of files. Reading one returns undefined if it is not genuine or has expired. */
export interface FileAddresses {
  signUpload(record: FileRecord): string;
  readUpload(text: string): FileRecord | undefined;
  signDownload(key: FileKey): string;
  readDownload(text: string): FileKey | undefined;
  /** As above, also after it has expired: for a reference that was accepted before. */
  recogniseDownload(text: string): FileKey | undefined;
}

export interface FileAddressOptions {
  /** At least one. The first signs; all are accepted. Derived from the installation's secrets, for this use only. */
  keys: readonly Secret[];
  clock: Clock;
}

const maxTextLength = 4_096;

export function createFileAddresses({ keys, clock }: FileAddressOptions): FileAddresses {
  const derived = keys.map(deriveKey);
  const [current] = derived;
  if (current === undefined) throw new Error("Signed addresses need at least one key.");

  const sign = (purpose: Purpose, fields: readonly unknown[], lifetimeMs: number): string => {
    const payload = Buffer.from(JSON.stringify([clock.now() + lifetimeMs, ...fields])).toString("base64url");
    return `${payload}.${signature(current, purpose, payload).toString("base64url")}`;
  };

  const read = (purpose: Purpose, text: string, nowMs = clock.now()): unknown[] | undefined => {
    if (text.length > maxTextLength) return undefined;
    const [payload = "", given = "", ...rest] = text.split(".");
    const bytes = Buffer.from(given, "base64url");
    const isGenuine = derived.some((key) => isSame(signature(key, purpose, payload), bytes));
    if (!isGenuine || rest.length > 0) return undefined;
    const fields: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    if (!Array.isArray(fields)) return undefined;
    const [expiresAtMs, ...others]: unknown[] = fields;
    return typeof expiresAtMs === "number" && nowMs < expiresAtMs ? others : undefined;
  };

  return {
    signUpload: ({ projectId, ownerId, id, mediaType, size, filename }) =>
      sign("upload", [projectId, ownerId, id, mediaType, size, filename], fileLimits.uploadLifetimeMs),
    readUpload: (text) => recordOf(read("upload", text)),
    signDownload: ({ projectId, ownerId, id }) =>
      sign("download", [projectId, ownerId, id], fileLimits.downloadLifetimeMs),
    readDownload: (text) => keyOf(read("download", text)),
    recogniseDownload: (text) => keyOf(read("download", text, 0)),
  };
}

type Purpose = "upload" | "download";

function deriveKey(secret: Secret): Buffer {
  return Buffer.from(hkdfSync("sha256", secret.reveal(), "", "muster file addresses", 32));
}

function signature(key: Buffer, purpose: Purpose, payload: string): Buffer {
  return createHmac("sha256", key).update(`${purpose}.${payload}`).digest();
}

function isSame(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
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
