import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, link, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { folderNames, isMissing, isOlder, openIfExists, unlessMissing, withSynced } from "../disk.ts";
import {
  type FileKey,
  type FileRecord,
  type FileStorage,
  isFileKey,
  type StoredFile,
  WrongSizeError,
} from "./storage.ts";

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
        return await placeIn(folder, draft, record);
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
      // Uploads may still arrive in the folder, between its emptying and its removal. Each retry waits longer.
      await rm(ownerFolder({ projectId, ownerId, id: "file" }), {
        ...{ recursive: true, force: true },
        ...{ maxRetries: 40, retryDelay: 10 },
      });
    },
    removeBefore: (timeMs) => removeOlder(directory, timeMs),
  };
}

/** The folder of contents, descriptions and their drafts. Nothing else in the directory is ever removed. */
const ownNames = /^file_[A-Za-z0-9_-]{1,95}(?:\.json(?:\.[0-9a-f-]{36})?)?$/;
const draftNames = /^[0-9a-f-]{36}$/;

async function removeOlder(directory: string, timeMs: number): Promise<void> {
  // An upload in progress writes to its draft, so one that is as old belongs to no upload.
  await removeOldIn(join(directory, arriving), draftNames, timeMs);
  for (const project of await folderNames(directory)) {
    for (const owner of await folderNames(join(directory, project)))
      await removeOldIn(join(directory, project, owner), ownNames, timeMs);
  }
}

async function removeOldIn(directory: string, names: RegExp, timeMs: number): Promise<void> {
  const found = (await readdir(directory).catch(unlessMissing)) ?? [];
  for (const name of found.filter((each) => names.test(each))) {
    const path = join(directory, name);
    if (await isOlder(path, timeMs)) await rm(path, { force: true });
  }
}

/** The content stays readable even if the file is removed in the meantime. */
async function storedFile(handle: FileHandle, path: string): Promise<StoredFile | undefined> {
  try {
    const record: FileRecord = JSON.parse(await readFile(`${path}.json`, "utf8"));
    return { record, read: () => createReadStream("", { fd: handle }), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writeDraft(path: string, bytes: AsyncIterable<Uint8Array>, size: number): Promise<void> {
  await withSynced(path, "wx", async (file) => {
    let written = 0;
    for await (const piece of bytes) {
      written += piece.byteLength;
      if (written > size) throw new WrongSizeError(size);
      await file.writeFile(piece);
    }
    if (written !== size) throw new WrongSizeError(size);
  });
}

const maxPlacings = 20;

/** False if the file exists. The folder may be removed with the files of its owner at any time. */
async function placeIn(folder: string, draft: string, record: FileRecord): Promise<boolean> {
  for (let placing = 1; ; placing++) {
    try {
      await mkdir(folder, { recursive: true });
      // Each upload of an address writes the same description.
      await replaceFile(join(folder, `${record.id}.json`), JSON.stringify(record));
      return await linkOnce(draft, join(folder, record.id));
    } catch (error) {
      if (!isMissing(error) || placing === maxPlacings) throw error;
    }
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await withSynced(draft, "wx", (file) => file.writeFile(text));
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
