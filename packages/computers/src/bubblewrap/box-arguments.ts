import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { homeDirectory } from "../files/limits.ts";

/** The parts of one command's box. */
export interface Box {
  /** The folder of a Linux system whose programs are used: `/`, or another root. */
  root: string;
  /** The agent's home directory on this machine. */
  home: string;
  /** A folder with the box's own `passwd`, `group`, `hosts` and `nsswitch.conf`. */
  etc: string;
  tmpBytes: number;
  /** File descriptors of bubblewrap, which closes them before it starts the command. */
  seccompFd: number;
  statusFd: number;
  /** Present: the command waits until there is something to read from it. */
  blockFd?: number;
  /** Absent: no network. */
  network?: BoxNetwork;
}

export interface BoxNetwork {
  /** The folder with the socket of the platform's proxy. */
  proxyFolder: string;
  /** Node and the script that forwards a port of the box to that socket. */
  node: string;
  forwarder: string;
}

/** Where the parts of {@link BoxNetwork} are in the box. */
export const boxPaths = {
  node: "/run/muster/node",
  forwarder: "/run/muster/forwarder.mjs",
  proxyFolder: "/run/muster/proxy",
} as const;

export const proxyPort = 3128;

/** The arguments of `bwrap`, each with its reason. Order matters: a later mount lies on top of an earlier one. */
export function boxArguments(box: Box): string[] {
  return [
    // Namespaces of its own: users (no rights outside), processes (sees and signals none of the host, and all of them end with
    // the first), IPC (shared memory and queues), host name, cgroups (their paths), network (nothing but a loopback).
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup",
    "--unshare-net",
    // In a namespace of their own, programs would have rights in the kernel that they have nowhere else.
    "--disable-userns",
    // The same user for every agent: nothing in the box depends on which uid the host has given.
    ...["--uid", "1000", "--gid", "1000"],
    ...["--hostname", "computer"],
    // If the service dies, the command does; nothing runs on without a holder.
    "--die-with-parent",
    // Without a terminal, so nothing can type into one.
    "--new-session",
    // The service's environment has its secrets.
    "--clearenv",
    ...environment(box),
    // The root is empty and in memory. Programs are read-only, from one folder.
    ...["--ro-bind", join(box.root, "usr"), "/usr"],
    ...topLevel(box.root),
    // Few files of /etc: the variants of programs, the places of libraries and certificates, the user.
    ...["--ro-bind-try", join(box.root, "etc/alternatives"), "/etc/alternatives"],
    ...["--ro-bind-try", join(box.root, "etc/ld.so.cache"), "/etc/ld.so.cache"],
    ...["--ro-bind-try", join(box.root, "etc/ssl/certs"), "/etc/ssl/certs"],
    ...["--ro-bind", box.etc, "/etc/muster"],
    ...["passwd", "group", "hosts", "nsswitch.conf"].flatMap((name) => [
      ...["--symlink", `muster/${name}`, `/etc/${name}`],
    ]),
    // Its own processes only; the writable files in it belong to its namespaces.
    ...["--proc", "/proc"],
    // null, zero, full, random, urandom, tty: no disks, no memory, no devices of the host.
    ...["--dev", "/dev"],
    // Files in memory, so they have a size. Python's semaphores are in the second one.
    ...["--perms", "1777", "--size", String(box.tmpBytes), "--tmpfs", "/tmp"],
    ...["--perms", "1777", "--size", String(box.tmpBytes), "--tmpfs", "/dev/shm"],
    // The only folder of the host that is writable.
    ...["--bind", box.home, homeDirectory],
    ...networkPaths(box.network),
    // These are in memory without a size: nothing may be written there.
    ...["--remount-ro", "/dev"],
    ...["--remount-ro", "/"],
    ...["--chdir", homeDirectory],
    // System calls that no command needs: see seccomp/denied-groups.ts.
    ...["--seccomp", String(box.seccompFd)],
    // Says which process is the box's first one, and how the command ended.
    ...["--json-status-fd", String(box.statusFd)],
    // The first process must be in its control group before the command starts others.
    ...(box.blockFd === undefined ? [] : ["--block-fd", String(box.blockFd)]),
  ];
}

function environment({ network }: Box): string[] {
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const variables = {
    HOME: homeDirectory,
    USER: "agent",
    LANG: "C.UTF-8",
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    // Both spellings are in use.
    ...(network && { http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy, HTTPS_PROXY: proxy }),
  };
  return Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]);
}

/** `/bin` and its like: links into `/usr` on most systems, folders on others. */
function topLevel(root: string): string[] {
  return ["bin", "sbin", "lib", "lib32", "lib64", "libx32"].flatMap((name) => {
    const path = join(root, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) return ["--symlink", readlinkSync(path), `/${name}`];
    return stats?.isDirectory() ? ["--ro-bind", path, `/${name}`] : [];
  });
}

/** Only the folder of the socket: a socket that is made again would not appear if the file were bound. */
function networkPaths(network: BoxNetwork | undefined): string[] {
  if (network === undefined) return [];
  return [
    ...["--ro-bind", network.node, boxPaths.node],
    ...["--ro-bind", network.forwarder, boxPaths.forwarder],
    ...["--ro-bind", network.proxyFolder, boxPaths.proxyFolder],
  ];
}
