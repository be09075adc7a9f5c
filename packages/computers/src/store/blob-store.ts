import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { blobName, blobNamePattern, hashInName } from "../files/blob-name.ts";
import type { Steps } from "./steps.ts";

const bytesPerRead = 1024 * 1024;

/** A stored content is missing, or is not what was stored. */
export class BlobError extends Error {
  constructor(name: string, problem: string) {
    super(`The stored content ${name} ${problem}.`);
    this.name = "BlobError";
  }
}

export type BlobStore = ReturnType<typeof openBlobStore>;

/** The contents of one computer, on disk. The content under a name never changes. */
export function openBlobStore(directory: string, steps: Steps = {}) {
  const pathOf = (name: string): string => {
    if (!blobNamePattern.test(name)) throw new BlobError(JSON.stringify(name), "has a wrong name");
    return join(directory, name);
  };
  const writer = (epoch: number) => createWriter(directory, epoch, pathOf, steps);
  return {
    writer,
    async put(content: Uint8Array, epoch: number) {
      const blob = writer(epoch);
      try {
        await blob.write(content);
        return await blob.finish();
      } finally {
        await blob.drop();
      }
    },
    /** Checks the content against its name. Throws {@link BlobError}. */
    read: (name: string) => readChecked(pathOf(name), name),
    async readAll(name: string): Promise<Uint8Array> {
      const chunks: Uint8Array[] = [];
      for await (const chunk of readChecked(pathOf(name), name)) chunks.push(chunk);
      return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    },
    async list() {
      return (await namesIn(directory)).filter((name) => blobNamePattern.test(name));
    },
    async delete(names: readonly string[]) {
      for (const name of names) {
        await steps.before?.("delete");
        await rm(pathOf(name), { force: true });
      }
    },
    /** Deletes what holders before `epoch` began to write and did not finish. */
    async deleteUnfinished(epoch: number) {
      for (const name of await namesIn(directory)) {
        const match = /^writing-(\d+)-/.exec(name);
        if (match !== null && Number(match[1]) < epoch) await rm(join(directory, name), { force: true });
      }
    },
    /** Deletes everything, for good. */
    destroy: () => rm(directory, { recursive: true, force: true }),
  };
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export type BlobWriter = ReturnType<typeof createWriter>;

/** A content on its way into the store. */
function createWriter(directory: string, epoch: number, pathOf: (name: string) => string, steps: Steps) {
  const temporary = join(directory, `writing-${epoch}-${randomUUID()}`);
  const hash = createHash("sha256");
  let file: FileHandle | undefined;
  let done = false;
  const opened = async (): Promise<FileHandle> => {
    file ??= await openNew(directory, temporary);
    return file;
  };
  return {
    async write(bytes: Uint8Array) {
      await steps.before?.("write");
      const handle = await opened();
      hash.update(bytes);
      await handle.writeFile(bytes);
    },
    /** Resolves with the name when the content would survive a power failure. */
    async finish() {
      const handle = await opened();
      await steps.before?.("sync");
      await handle.sync();
      await handle.close();
      file = undefined;
      const name = blobName(hash.digest("hex"), epoch);
      await steps.before?.("rename");
      await rename(temporary, pathOf(name));
      await syncDirectory(directory);
      done = true;
      return name;
    },
    /** Leaves nothing behind. Does nothing after `finish`. */
    async drop() {
      if (done) return;
      await file?.close();
      file = undefined;
      await rm(temporary, { force: true });
    },
  };
}

async function openNew(directory: string, path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await open(path, "wx", 0o600);
  }
}

/** Without this, the new name could be lost in a power failure. Windows has no such operation. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* readChecked(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = await openExisting(path, name);
  const hash = createHash("sha256");
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytesPerRead), 0, bytesPerRead);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      yield chunk;
    }
  } finally {
    await file.close();
  }
  if (hash.digest("hex") !== hashInName(name)) throw new BlobError(name, "is damaged on disk");
}

async function openExisting(path: string, name: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (isMissing(error)) throw new BlobError(name, "is missing on disk");
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
