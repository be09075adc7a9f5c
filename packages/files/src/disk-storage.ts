import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FileKey, type FileRecord, isFileKey } from "./file-record.ts";
import { type FileStorage, type StoredFile, WrongSizeError } from "./storage.ts";

/** Content that is arriving lies here, on the same file system as its destination. */
const arriving = ".arriving";

/**
 * Files in a directory: `<project>/<owner>/<id>` is the content and `<id>.json` its description. The description is written
 * first and the content is linked last, so a file with content is complete.
 */
export function createDiskStorage(directory: string): FileStorage {
  const ownerFolder = ({ projectId, ownerId, id }: FileKey) => {
    if (!isFileKey({ projectId, ownerId, id }))
      throw new Error("A file's key has a part that cannot be a name.");
    return join(directory, projectId, ownerId);
  };

  return {
    put: async (record, bytes) => {
      const folder = ownerFolder(record);
      const draft = join(directory, arriving, randomUUID());
      await mkdir(join(directory, arriving), { recursive: true });
      try {
        await writeDraft(draft, bytes, record.size);
        await mkdir(folder, { recursive: true });
        // Each upload of an address writes the same description.
        await replaceFile(join(folder, `${record.id}.json`), JSON.stringify(record));
        return await linkOnce(draft, join(folder, record.id));
      } finally {
        await rm(draft, { force: true });
      }
    },
    open: async (key) => {
      const path = join(ownerFolder(key), key.id);
      const handle = await openIfExists(path);
      if (handle === undefined) return undefined;
      return storedFile(handle, path);
    },
    removeOwner: async ({ projectId, ownerId }) => {
      await rm(ownerFolder({ projectId, ownerId, id: "file" }), { recursive: true, force: true });
    },
  };
}

/** The content stays readable even if the file is removed in the meantime. */
async function storedFile(handle: FileHandle, path: string): Promise<StoredFile | undefined> {
  try {
    const record: FileRecord = JSON.parse(await readFile(`${path}.json`, "utf8"));
    return { record, read: () => createReadStream("", { fd: handle }) };
  } catch (error) {
    await handle.close();
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writeDraft(path: string, bytes: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    let written = 0;
    for await (const piece of bytes) {
      written += piece.byteLength;
      if (written > size) throw new WrongSizeError(size);
      await file.writeFile(piece);
    }
    if (written !== size) throw new WrongSizeError(size);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** False if the destination exists. */
async function linkOnce(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
