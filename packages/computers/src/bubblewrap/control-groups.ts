import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The control group of one command. */
export interface CommandGroup {
  /** Moves a process into it. Processes that it starts afterwards are in it, too. */
  add(pid: number): Promise<void>;
  /** Ends all of its processes. */
  kill(): Promise<void>;
  /** True if its processes were killed because they needed more memory than they may have. */
  ranOutOfMemory(): Promise<boolean>;
  remove(): Promise<void>;
}

export interface GroupLimits {
  maxMemoryBytes: number;
  maxProcesses: number;
}

export type ControlGroups = Awaited<ReturnType<typeof openControlGroups>>;

const needed = ["memory", "pids", "cpu"];
/** The group of the service itself, beside those of commands: a group with controllers for others has no processes. */
const serviceGroup = "muster-service";
/** A process that is not in such a group has 100. */
const cpuWeight = 25;

/** There are none here; the message says why, in a part of a sentence. */
export class NoControlGroupsError extends Error {
  override readonly name = "NoControlGroupsError";
}

/**
 * A group for the commands of this process, below the one that the service was given. `own` is that one's folder, and `name`
 * that of the group. Rejects with {@link NoControlGroupsError} if the service was given none.
 */
export async function openControlGroups(own: string, name: string, isAbandoned: (name: string) => boolean) {
  const delegated = basename(own) === serviceGroup ? dirname(own) : own;
  const folder = join(delegated, name);
  await delegate(delegated, own);
  for (const other of await readdir(delegated))
    if (isAbandoned(other)) await removeTree(join(delegated, other)).catch(() => {});
  await mkdir(folder);
  await enable(folder);
  let made = 0;
  return {
    async make({ maxMemoryBytes, maxProcesses }: GroupLimits): Promise<CommandGroup> {
      const group = join(folder, String(++made));
      const write = (file: string, value: number) => writeFile(join(group, file), String(value));
      await mkdir(group);
      await write("memory.max", maxMemoryBytes);
      // There is none on a machine without swap.
      await write("memory.swap.max", 0).catch(() => {});
      // Otherwise, a command would continue without the process that was killed.
      await write("memory.oom.group", 1);
      await write("pids.max", maxProcesses);
      await write("cpu.weight", cpuWeight);
      return {
        add: (pid) => write("cgroup.procs", pid),
        kill: () => write("cgroup.kill", 1),
        async ranOutOfMemory() {
          const events = await readFile(join(group, "memory.events"), "utf8");
          return /^oom_kill [1-9]/m.test(events);
        },
        remove: () => removeTree(group),
      };
    },
    close: () => removeTree(folder),
  };
}

/** The folder of the control group of this process. */
export async function ownControlGroup(): Promise<string> {
  const read = (path: string) => readFile(path, "utf8").catch(() => "");
  const found = groupIn(await read("/proc/self/mountinfo"), await read("/proc/self/cgroup"));
  if (found === undefined) throw new NoControlGroupsError("this machine has no control groups v2");
  return found;
}

/** The place of a process in the file system, by the kernel's lists of its mounts and its groups. */
export function groupIn(mounts: string, groups: string): string | undefined {
  const [, path] = /^0::(\/.*)$/m.exec(groups) ?? [];
  const [, root, mount] = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mounts) ?? [];
  if (path === undefined || root === undefined || mount === undefined) return undefined;
  const inside = root === "/" ? path : path.slice(root.length);
  const isVisible = path === root || path.startsWith(root === "/" ? root : `${root}/`);
  return isVisible && !path.includes("/..") ? resolve(mount, `.${inside}`) : undefined;
}

/** Gives the groups below it their controllers, which needs a group without processes of its own. */
async function delegate(delegated: string, own: string): Promise<void> {
  const offered = await readFile(join(delegated, "cgroup.controllers"), "utf8").catch(() => "");
  const missing = needed.filter((controller) => !offered.trim().split(" ").includes(controller));
  if (missing.length > 0)
    throw new NoControlGroupsError(`the control group ${delegated} has no ${missing.join(", ")}`);
  const move = (group: string) => writeFile(join(group, "cgroup.procs"), String(process.pid));
  try {
    if (own === delegated) {
      await mkdir(join(delegated, serviceGroup), { recursive: true });
      await move(join(delegated, serviceGroup));
    }
    await enable(delegated);
  } catch (error) {
    if (own === delegated) await move(own).catch(() => {});
    if (own === delegated) await rmdir(join(delegated, serviceGroup)).catch(() => {});
    throw new NoControlGroupsError(reasonOf(error, delegated));
  }
}

function reasonOf(error: unknown, folder: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EBUSY") return `the control group ${folder} has other processes, too`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `the control group ${folder} is not delegated to the service`;
  return `the control group ${folder} cannot be divided: ${String(error)}`;
}

function enable(folder: string): Promise<void> {
  const text = needed.map((controller) => `+${controller}`).join(" ");
  return writeFile(join(folder, "cgroup.subtree_control"), text);
}

/** With the processes in it. The files of such a folder cannot be deleted, and go with it. */
async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  await writeFile(join(folder, "cgroup.kill"), "1").catch(() => {});
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  // Processes that were killed leave it a moment later.
  for (let attempts = 0; ; attempts++) {
    try {
      return await rmdir(folder);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT") return;
      if (code !== "EBUSY" || attempts > 1_000) throw error;
    }
    await sleep(2);
  }
}
