import type { FileRef } from "@muster/engine";
import { GrowingBuffer } from "@muster/large-data";
import { type FileSources, FileUnavailable, nameOfFile, openFile, ownFile } from "@muster/storage/files";

/** Whose uploaded files a turn may read. */
export interface FileOwner {
  projectId: string;
  /** The session, and the workforce agent that it belongs to. */
  ownerIds: readonly string[];
}

/** The content of a file. */
export interface FileContent {
  bytes: Buffer;
  /** The type given by the upload, or by the caller. */
  mediaType: string;
  filename?: string;
}

/** Why a file cannot be sent to a model: one sentence for its sender and for the model. */
export class UnreadableFile extends Error {
  /** The platform should have the file. */
  readonly isOurs: boolean;

  constructor(message: string, isOurs = false, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnreadableFile";
    this.isOurs = isOurs;
  }
}

/** Whether it has an address that others can fetch it from. */
export function isForeign({ files }: FileSources, { url }: FileRef): boolean {
  return ownFile(files, url) === undefined;
}

/** The bytes of an uploaded file. Zero if it is no longer stored. Throws UnreadableFile. */
export async function sizeOf(sources: FileSources, owner: FileOwner, file: FileRef): Promise<number> {
  const key = ownKey(sources, owner, file);
  const stored = key && (await sources.files?.storage.open(key));
  await stored?.close();
  return stored?.record.size ?? 0;
}

/** `maxBytes`: of a file at another address. Throws UnreadableFile, and the reason of the signal. */
export async function readContent(
  sources: FileSources,
  owner: FileOwner,
  file: FileRef,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FileContent> {
  const key = ownKey(sources, owner, file);
  const { mediaType, filename } = (await recordOf(sources, key)) ?? file;
  const content = new GrowingBuffer();
  try {
    for await (const piece of openFile(sources, file, maxBytes, signal)) {
      signal.throwIfAborted();
      content.add(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    }
  } catch (error) {
    if (!(error instanceof FileUnavailable)) throw error;
    throw new UnreadableFile(error.message, error.isOwn, { cause: error });
  }
  return { bytes: content.take(), mediaType, ...(filename !== undefined && { filename }) };
}

function ownKey({ files }: FileSources, { projectId, ownerIds }: FileOwner, file: FileRef) {
  const key = ownFile(files, file.url);
  if (key === undefined || (key.projectId === projectId && ownerIds.includes(key.ownerId))) return key;
  throw new UnreadableFile(`The file ${nameOfFile(file)} belongs to another session.`);
}

async function recordOf({ files }: FileSources, key: ReturnType<typeof ownKey>) {
  if (files === undefined || key === undefined) return undefined;
  const stored = await files.storage.open(key);
  await stored?.close();
  return stored?.record;
}
