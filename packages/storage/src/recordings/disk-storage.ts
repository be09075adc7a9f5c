import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderNames, isOlder, openIfExists, unlessMissing, withSynced } from "../disk.ts";
import {
  isEpoch,
  isRecordingName,
  type OpenedFile,
  type RecordingFile,
  type RecordingKey,
  type RecordingName,
  type RecordingStorage,
  type RenderedPaths,
  recordingFiles,
  type StoredAttempt,
} from "./storage.ts";

/** No id of a project or of an owner of uploaded files begins with a dot, so neither side ever touches the other's files. */
export const recordingsIn = (directory: string) => join(directory, ".recordings");
/** Attempts are copied here first, on the same file system as their destination. */
const arrivingFolder = ".arriving";

/** Files in a directory: `.recordings/<project>/<recording>/<epoch>/video.webm`. */
export function createDiskStorage(directory: string): RecordingStorage {
  const root = recordingsIn(directory);
  const arriving = join(root, arrivingFolder);

  return {
    put: async (key, files) => {
      const folder = attemptFolder(root, key);
      const draft = join(arriving, randomUUID());
      await mkdir(draft, { recursive: true });
      try {
        await copyAll(files, draft);
        await mkdir(dirname(folder), { recursive: true });
        await renameOnce(draft, folder);
        await syncFolder(dirname(folder));
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    },
    open: (key, file) => openFile(join(attemptFolder(root, key), file)),
    remove: (recording) => removeFolder(recordingFolder(root, recording)),
    removeAttempt: (key) => removeFolder(attemptFolder(root, key)),
    attempts: () => attemptsIn(root),
    removeDraftsBefore: async (timeMs) => {
      for (const name of await folderNames(arriving)) {
        const path = join(arriving, name);
        if (await isOlder(path, timeMs)) await removeFolder(path);
      }
    },
  };
}

function recordingFolder(root: string, { projectId, recordingId }: RecordingName): string {
  if (!isRecordingName({ projectId, recordingId }))
    throw new Error("A recording's key has a part that cannot be a name.");
  return join(root, projectId, recordingId);
}

function attemptFolder(root: string, key: RecordingKey): string {
  if (!isEpoch(key.epoch)) throw new Error("A recording's epoch is a whole number from 1.");
  return join(recordingFolder(root, key), String(key.epoch));
}

async function copyAll(files: RenderedPaths, folder: string): Promise<void> {
  const sources: Record<RecordingFile, string> = {
    "video.webm": files.video,
    "chapters.vtt": files.chapters,
    "transcript.vtt": files.transcript,
  };
  for (const name of recordingFiles) await copyDurably(sources[name], join(folder, name));
  await syncFolder(folder);
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await withSynced(to, "r+");
}

/** A repeated write of an attempt finds its folder, which has files, so that it cannot be replaced. */
async function renameOnce(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const isThere = (await stat(to).catch(unlessMissing))?.isDirectory() ?? false;
    if (!isThere) throw error;
  }
}

/** Makes new names in a folder survive a power failure. Windows cannot open folders, and does not need it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform !== "win32") await withSynced(path, "r");
}

async function openFile(path: string): Promise<OpenedFile | undefined> {
  const handle = await openIfExists(path);
  if (handle === undefined) return undefined;
  try {
    const { size, mtimeMs } = await handle.stat();
    return {
      ...{ size, mtimeMs },
      read: (range) => createReadStream("", { fd: handle, ...range }),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A file that a recorder adds meanwhile makes the folder briefly undeletable. */
function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

async function* attemptsIn(root: string): AsyncGenerator<StoredAttempt> {
  for (const projectId of await folderNames(root)) {
    for (const recordingId of await folderNames(join(root, projectId))) {
      if (!isRecordingName({ projectId, recordingId })) continue;
      const folder = join(root, projectId, recordingId);
      for (const name of await folderNames(folder)) {
        const epoch = Number(name);
        const found = isEpoch(epoch) ? await stat(join(folder, name)).catch(unlessMissing) : undefined;
        if (found !== undefined) yield { projectId, recordingId, epoch, storedAtMs: found.mtimeMs };
      }
    }
  }
}
