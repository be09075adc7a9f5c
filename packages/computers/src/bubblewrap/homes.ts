import { execFile } from "node:child_process";
import { hash, randomUUID } from "node:crypto";
import { chmod, lchown, mkdir, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { UidRange } from "../config.ts";
import { WorkingCopy } from "./working-copy.ts";

/** An agent's part of this machine while its commands may run here. */
export interface Home {
  folder: string;
  /** Its own; undefined if the user of this process runs the commands. */
  uid: number | undefined;
  pipes: { stdout: string; stderr: string };
  proxyFolder: string;
  copy: WorkingCopy;
}

const run = promisify(execFile);
/** Without a range of uids, only the disk bounds them. */
const maxSharedHomes = 64;
/** The folders of this process, for another instance in it. */
const own = new Set<string>();

export type Homes = ReturnType<typeof createHomes>;

/**
 * The working copies of this process, in a folder of its own. There are at most as many as there are uids: the one that was
 * unused for the longest time makes room. All of them can be made again from the store.
 */
export function createHomes(directory: string, uids: UidRange | undefined) {
  const name = folderName(process.pid, randomUUID());
  const folder = join(directory, name);
  const homes = new Map<string, { home: Home; slot: number }>();
  const busy = new Set<string>();
  const slots = uids === undefined ? maxSharedHomes : uids.last - uids.first + 1;
  const free = Array.from({ length: slots }, (_, index) => index).reverse();

  const make = async (slot: number): Promise<Home> => {
    const at = join(folder, String(slot));
    const uid = uids && uids.first + slot;
    const pipes = { stdout: join(at, "stdout"), stderr: join(at, "stderr") };
    const proxyFolder = join(at, "proxy");
    await rm(at, { recursive: true, force: true });
    for (const path of [at, proxyFolder]) await makeFolder(path);
    await run("mkfifo", ["-m", "600", pipes.stdout, pipes.stderr]);
    if (uid !== undefined) for (const path of Object.values(pipes)) await lchown(path, uid, uid);
    const home = join(at, "home");
    return { folder: home, uid, pipes, proxyFolder, copy: new WorkingCopy(home, uid) };
  };
  const drop = async (agentId: string): Promise<void> => {
    const dropped = homes.get(agentId);
    if (dropped === undefined) return;
    homes.delete(agentId);
    await dropped.home.copy.wipe();
    free.push(dropped.slot);
  };
  return {
    name,
    folder,
    /** Makes the folder, and deletes those of processes that ended without doing so. */
    async open(): Promise<void> {
      own.add(name);
      await mkdir(directory, { recursive: true });
      await makeFolder(folder);
      for (const other of await readdir(directory))
        if (isAbandoned(other)) await new WorkingCopy(join(directory, other), undefined).wipe();
    },
    /** For one command. Only one at a time may use the home of an agent. */
    async use<T>(agentId: string, work: (home: Home) => Promise<T>): Promise<T> {
      busy.add(agentId);
      try {
        let found = homes.get(agentId);
        if (found === undefined) {
          const idle = [...homes.keys()].find((id) => !busy.has(id));
          if (free.length === 0 && idle !== undefined) await drop(idle);
          const slot = free.pop();
          if (slot === undefined)
            throw new Error("there are more commands at once than SANDBOX_UIDS has users");
          found = { home: await make(slot), slot };
        }
        // The last one is the one that was used last.
        homes.delete(agentId);
        homes.set(agentId, found);
        return await work(found.home);
      } finally {
        busy.delete(agentId);
      }
    },
    drop,
    async close(): Promise<void> {
      homes.clear();
      await new WorkingCopy(folder, undefined).wipe();
      own.delete(name);
    },
  };
}

/** Other users may pass through it to their own folders, and list nothing. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o711);
}

/**
 * For a folder or a control group of a process of this machine. Commands can read it, in their lists of mounts and groups, so it
 * has a digest of the host's name instead of the name.
 */
export function folderName(pid: number, id: string): string {
  return `${hash("sha256", `${hostname()} ${id}`).slice(0, 16)}.${pid}.${id}`;
}

/** True for the name of a folder or a control group of this machine whose process has ended. */
export function isAbandoned(name: string): boolean {
  const [, pid, id = ""] = /\.(\d+)\.([0-9a-f-]{36})$/.exec(name) ?? [];
  if (name !== folderName(Number(pid), id) || own.has(name)) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
