import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { arch } from "node:os";
import { delimiter, join } from "node:path";
import type { BubblewrapConfig } from "../config.ts";
import type { BoxEnd } from "./run-box.ts";

/** Commands cannot run on this machine. The message is one sentence or two, with the remedy. */
export class BubblewrapError extends Error {
  override readonly name = "BubblewrapError";

  constructor(problem: string) {
    super(`COMPUTER_RUNTIME=bubblewrap ${problem}`);
  }
}

/** The part of the machine that can be known without starting anything. Returns the paths of the programs. */
export function checkMachine({ root, uids }: BubblewrapConfig) {
  if (process.platform !== "linux") throw new BubblewrapError("needs Linux; leave it out on this system.");
  if (arch() !== "x64" && arch() !== "arm64")
    throw new BubblewrapError(`has no seccomp filter for the processor ${arch()}; leave it out here.`);
  if (!existsSync(join(root, "usr/bin/bash")) && !existsSync(join(root, "bin/bash")))
    throw new BubblewrapError(
      `finds no bash in SANDBOX_ROOT, which is ${root}; name the root of a Linux system.`,
    );
  const isRoot = process.getuid?.() === 0;
  if (isRoot && uids === undefined)
    throw new BubblewrapError(
      "never runs commands as root: set SANDBOX_UIDS to user ids that nothing else uses, such as 200000-200999.",
    );
  if (!isRoot && uids !== undefined)
    throw new BubblewrapError("cannot use SANDBOX_UIDS without being root: leave SANDBOX_UIDS out.");
  const taken = uids && namedUsers().find((uid) => uid >= uids.first && uid <= uids.last);
  if (taken !== undefined)
    throw new BubblewrapError(
      `cannot use SANDBOX_UIDS: user ${taken} of /etc/passwd is in it; choose user ids that nothing else uses, such as 200000-200999.`,
    );
  return { bwrap: findProgram("bwrap", "bubblewrap"), prlimit: findProgram("prlimit", "util-linux") };
}

function namedUsers(): number[] {
  if (!existsSync("/etc/passwd")) return [];
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  return lines.filter(Boolean).map((line) => Number(line.split(":")[2]));
}

function findProgram(name: string, debianPackage: string): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/bin"];
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  throw new BubblewrapError(
    `needs ${name} on the PATH: install the package ${debianPackage}, such as with \`sudo apt-get install ${debianPackage}\`.`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Patterns of bubblewrap's errors with the remedies. The first that matches counts. */
const remedies: readonly [pattern: RegExp, remedy: string | ((config: BubblewrapConfig) => string)][] = [
  [/unknown option/i, "needs bubblewrap 0.8.0 or newer: install a newer one."],
  [
    /setting up uid map|loopback: Failed RTM_NEWADDR/i,
    "may not use user namespaces: on Ubuntu run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or give bwrap an " +
      "AppArmor profile with `userns`; in a container use `--security-opt apparmor=unconfined` together with a seccomp profile " +
      "that allows user namespaces.",
  ],
  [
    /(?:Creating|No permissions to create) (?:a )?new namespace|Operation not permitted.*namespace|max_user_namespaces/i,
    "may not create namespaces: in a container use a seccomp profile that allows clone, unshare, mount and pivot_root for user " +
      "namespaces, such as `--security-opt seccomp=unconfined` with `apparmor=unconfined`; elsewhere set " +
      "`kernel.unprivileged_userns_clone=1` and `user.max_user_namespaces` above 0.",
  ],
  [
    /mount(?:ing)? proc/i,
    "may not mount /proc: the container hides parts of its own; use `--security-opt systempaths=unconfined`, or `procMount: " +
      "Unmasked` on Kubernetes.",
  ],
  [
    /spawn E(?:PERM|INVAL)/,
    "cannot switch to the users of SANDBOX_UIDS: choose ids that exist in this container, and keep the capabilities SETUID and SETGID.",
  ],
  [
    /Can't (?:find source|bind|mount).*?Permission denied|Can't find source path .*(?:homes|home)/i,
    ({ homesDirectory }) =>
      `cannot reach ${homesDirectory} as the user of a sandbox: set SANDBOX_HOMES_DIRECTORY to a folder on a local disk whose ` +
      "parents every user may pass, such as /var/lib/muster-homes.",
  ],
];

/** The error for a probe that failed. */
export function probeProblem(end: BoxEnd, output: string, config: BubblewrapConfig): BubblewrapError {
  const printed = ("problem" in end ? end.problem : output).trim() || JSON.stringify(end);
  const [, remedy] = remedies.find(([pattern]) => pattern.test(printed)) ?? [];
  const text = typeof remedy === "function" ? remedy(config) : remedy;
  const problem = text ?? "cannot run a command here: see docs/computers.md.";
  return new BubblewrapError(`${problem} (${printed.replace(/\s+/g, " ").slice(0, 300)})`);
}
