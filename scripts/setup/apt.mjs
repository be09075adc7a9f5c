import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { SetupError } from "./report.mjs";

export function canUseApt() {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version") && existsSync("/usr/bin/apt-get");
}

/** Installs a package of Debian. `howToInstall` says what the user can do if that fails. */
export function aptInstall(name, howToInstall) {
  apt(["update"], howToInstall);
  apt(["install", "--yes", "--no-install-recommends", name], howToInstall);
}

function apt(args, howToInstall) {
  const { status, stderr, stdout } = spawnSync("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=120", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (status === 0) return;
  const output = `${stdout ?? ""}${stderr ?? ""}`.trim().split("\n").slice(-10).join("\n");
  throw new SetupError(`apt-get ${args[0]} failed:\n${output}\nsetup: ${howToInstall}`);
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
