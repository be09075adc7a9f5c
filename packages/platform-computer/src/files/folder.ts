import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  realpath,
  rename,
  statfs,
  unlink,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { ListedEntry } from "@muster/computers/tools";
import { FileError, fileError } from "./file-error.ts";

/** Writing stops before the disk is full, so that a platform that writes without end does not stop the machine. */
const minFreeBytes = 256 * 1024 * 1024;
/** Names of a directory that are sorted for a list. */
const maxNames = 100_000;

/** A directory that is open: names in it stay in it, whatever happens to its path. */
interface OpenDirectory {
  handle: FileHandle;
  /** The path of an entry, through the open directory where the system has that. */
  at(name: string): string;
}

/**
 * The folder to which files are confined. A path is resolved with its links first, and refused if it leads out. Then it is
 * opened name by name without following a link, so that a link that appears meanwhile is an error.
 */
export class Folder {
  /** Absolute, without links. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The absolute form of a path of the platform. `~` is this folder, as for the sandbox. Throws {@link FileError}. */
  absolute(path: string): string {
    if (path.includes("\0")) throw new FileError("A path must not contain a zero byte.");
    const found = resolve(this.path, path === "~" || path.startsWith("~/") ? `.${path.slice(1)}` : path);
    if (!this.#contains(found)) throw outside(path, this.path);
    return found;
  }

  /** The content of a regular file. Close the handle. */
  async openFile(path: string): Promise<FileHandle> {
    return await this.#in(path, async (directory, name) => {
      if (name === undefined) throw new FileError(`${path} is a directory.`);
      const { handle } = await openRegular(directory, name, constants.O_RDONLY, path);
      return handle;
    });
  }

  /** Adds to the end of a file, or creates it. Returns its size. */
  async append(path: string, content: Uint8Array): Promise<number> {
    await this.#assertSpace(content.length);
    const handle = await this.#in(
      path,
      async (directory, name) => {
        if (name === undefined) throw new FileError(`${path} is a directory.`);
        const flags = constants.O_WRONLY | constants.O_APPEND;
        const { handle } = await openRegular(directory, name, flags, path).catch(async (error: unknown) => {
          if (codeOf(error) !== "ENOENT") throw error;
          const create = flags | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
          return { handle: await open(directory.at(name), create, 0o644) };
        });
        return handle;
      },
      { create: true },
    );
    try {
      await handle.writeFile(content);
      return (await handle.stat()).size;
    } finally {
      await handle.close();
    }
  }

  /** Replaces a file as one unit, or creates it with its directories. Nothing is left of a content that fails. Returns its size. */
  async replace(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    return await this.#in(
      path,
      async (directory, name) => {
        if (name === undefined) throw new FileError(`${path} is a directory.`);
        const before = await entryOf(directory, name);
        if (before !== undefined && !before.isFile()) throw notRegular(path, before);
        const draft = directory.at(`.${randomBytes(8).toString("hex")}.muster`);
        const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
        const handle = await open(draft, flags, 0o600);
        try {
          let size = 0;
          for await (const chunk of content) {
            await this.#assertSpace(chunk.length);
            await handle.writeFile(chunk);
            size += chunk.length;
          }
          await handle.chmod(before === undefined ? 0o644 : before.mode & 0o777);
          await rename(draft, directory.at(name));
          return size;
        } catch (error) {
          await unlink(draft).catch(() => {});
          throw error;
        } finally {
          await handle.close();
        }
      },
      { create: true },
    );
  }

  /** Entries in the order of their paths, parents before their children, at most `max`. Links are listed, and not followed. */
  async list(path: string, recursive: boolean, max: number): Promise<Array<ListedEntry & { mode: number }>> {
    const found: Array<ListedEntry & { mode: number }> = [];
    const visit = async (directory: OpenDirectory, at: string): Promise<void> => {
      for (const name of await namesIn(directory)) {
        if (found.length >= max) return;
        const stats = await entryOf(directory, name);
        if (stats === undefined) continue;
        const common = {
          path: join(at, name),
          mtimeMs: Math.round(stats.mtimeMs),
          mode: stats.mode & 0o7777,
        };
        if (stats.isSymbolicLink()) {
          const target = await readlink(directory.at(name)).catch(() => "");
          found.push({ ...common, type: "symlink", target });
        } else if (!stats.isDirectory())
          found.push({ ...common, type: "file", size: stats.isFile() ? stats.size : 0 });
        else {
          found.push({ ...common, type: "directory" });
          if (!recursive) continue;
          // It may have been removed, or belong to another user.
          const child = await openDirectory(directory.at(name), join(at, name)).catch(() => undefined);
          if (child === undefined) continue;
          try {
            await visit(child, join(at, name));
          } finally {
            await child.handle.close();
          }
        }
      }
    };
    await this.#in(path, async (directory, name) => {
      if (name === undefined) return await visit(directory, path);
      const child = await openDirectory(directory.at(name), path);
      try {
        await visit(child, path);
      } finally {
        await child.handle.close();
      }
    });
    return found;
  }

  #contains(path: string): boolean {
    return path === this.path || path.startsWith(this.path === sep ? sep : `${this.path}${sep}`);
  }

  /** Calls `work` with the open parent of a path and its last name, which is undefined for the folder itself. */
  async #in<T>(
    path: string,
    work: (directory: OpenDirectory, name: string | undefined) => Promise<T>,
    { create = false } = {},
  ): Promise<T> {
    try {
      const real = await this.#realPath(path);
      if (!this.#contains(real)) throw outside(path, this.path);
      const names = relative(this.path, real)
        .split(sep)
        .filter((name) => name !== "");
      const last = names.pop();
      let directory = await openDirectory(this.path, this.path);
      try {
        for (const [index, name] of names.entries()) {
          const next = await enter(directory, name, join(this.path, ...names.slice(0, index + 1)), create);
          await directory.handle.close();
          directory = next;
        }
        return await work(directory, last);
      } finally {
        await directory.handle.close();
      }
    } catch (error) {
      throw fileError(error, path);
    }
  }

  /** The path without links; names that do not exist stay unchanged. */
  async #realPath(path: string): Promise<string> {
    try {
      return await realpath(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || path === dirname(path)) throw error;
      // A link that leads nowhere is itself the entry.
      return join(await this.#realPath(dirname(path)), basename(path));
    }
  }

  async #assertSpace(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.path);
    if (bavail * bsize - bytes < minFreeBytes)
      throw new FileError("The disk of this computer is almost full.");
  }
}

function outside(path: string, folder: string): FileError {
  return new FileError(`${path} is outside of ${folder}: only files in that folder can be used.`);
}

async function enter(
  parent: OpenDirectory,
  name: string,
  path: string,
  create: boolean,
): Promise<OpenDirectory> {
  try {
    return await openDirectory(parent.at(name), path);
  } catch (error) {
    if (!create || codeOf(error) !== "ENOENT") throw error;
  }
  await mkdir(parent.at(name)).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  return await openDirectory(parent.at(name), path);
}

/** `path`: where it is, for systems that cannot open names relative to a directory. */
async function openDirectory(at: string, path: string): Promise<OpenDirectory> {
  const handle = await open(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  if (process.platform === "linux") return { handle, at: (name) => `/proc/self/fd/${handle.fd}/${name}` };
  const [opened, found] = [await handle.stat(), await lstat(path)];
  if (opened.dev === found.dev && opened.ino === found.ino) return { handle, at: (name) => join(path, name) };
  await handle.close();
  throw new FileError(`${path} has changed while it was used.`);
}

/** Opening a device or a pipe may already have an effect, so its type is checked before, and again when it is open. */
async function openRegular({ at }: OpenDirectory, name: string, flags: number, path: string) {
  const before = await lstat(at(name));
  if (!before.isFile()) throw notRegular(path, before);
  const handle = await open(at(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stats = await handle.stat();
  if (stats.isFile()) return { handle };
  await handle.close();
  throw notRegular(path, stats);
}

async function entryOf({ at }: OpenDirectory, name: string): Promise<Stats | undefined> {
  return await lstat(at(name)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
}

async function namesIn({ at }: OpenDirectory): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(at("."), { bufferSize: 1_000 }))
    if (names.push(name) >= maxNames) break;
  return names.sort();
}

function notRegular(path: string, stats: Stats): FileError {
  return new FileError(stats.isDirectory() ? `${path} is a directory.` : `${path} is not a regular file.`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
