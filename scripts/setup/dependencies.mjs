import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SetupError, say, secondsSince } from "./report.mjs";
import { dropBrokenRuntime, withTemporaryNode } from "./runtime.mjs";

/**
 * True if node_modules contains the packages of package-lock.json for this platform. npm writes its own record of the
 * installed tree last, so an interrupted installation does not match.
 */
export function dependenciesMatch(root) {
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(join(root, "node_modules", ".package-lock.json"));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path];
    if (path === "") return true;
    if (found === undefined) return mayBeAbsent(entry);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Installs exactly the versions of the lock file. Without a lock file, resolves them under Node 24. */
export function installDependencies(root) {
  const startMs = Date.now();
  say("installing dependencies (about 600 MB the first time; later starts skip this) ...");
  const common = ["--include=dev", "--include=optional", "--loglevel=error", "--no-audit", "--no-fund"];
  if (existsSync(join(root, "package-lock.json"))) {
    runNpm(root, ["ci", ...common], process.execPath);
  } else {
    // npm picks peer versions by the Node version that it runs under: an older one would write a different lock file.
    withTemporaryNode(root, (node) => runNpm(root, ["install", ...common], node));
  }
  dropBrokenRuntime(root);
  say(`dependencies installed in ${secondsSince(startMs)}`);
}

function runNpm(root, args, node) {
  const npmCli = process.env.npm_execpath;
  const byCli = npmCli?.endsWith(".js") ?? false;
  const result = spawnSync(byCli ? node : "npm", byCli ? [npmCli, ...args] : args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: 64 << 20,
    shell: !byCli && process.platform === "win32",
  });
  if (result.error?.code === "ENOENT") {
    throw new SetupError("npm is not on the PATH; install Node 20 or newer with npm from https://nodejs.org");
  }
  if (result.status !== 0) throw new SetupError(`npm ${args[0]} failed.\n${explain(result)}`);
}

function explain({ stderr, signal, error }) {
  const output = stderr?.trim() || String(error ?? `ended by ${signal}`);
  // npm reports the problem first and appends its manual page.
  const lines = output.split("\n").filter((line) => !/^npm error\s*$/.test(line));
  return `${lines.slice(0, 12).join("\n")}\nsetup: ${advice(output)}`;
}

function advice(output) {
  if (output.includes("EUSAGE")) {
    return "package.json and package-lock.json disagree: change dependencies with `npm run deps -- install ...`";
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ERR_SOCKET/.test(output)) {
    return "the package registry cannot be reached: check the network, a proxy, or `npm config get registry`";
  }
  if (output.includes("ENOSPC")) return "the disk is full";
  if (/EACCES|EPERM/.test(output)) return "this user may not write here: check who owns the folder";
  return "run it again; if it fails the same way, delete node_modules first";
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/** Optional packages without a platform belong to packages for other platforms, and are left out with them. */
function mayBeAbsent({ optional = false, os, cpu, libc }) {
  const namesPlatform = os !== undefined || cpu !== undefined;
  return optional && !(namesPlatform && isForThisPlatform({ os, cpu, libc }));
}

function isForThisPlatform({ os, cpu, libc }) {
  // Detecting the C library is expensive. npm does it, and no package that matters here depends on it.
  return libc === undefined && allows(os, process.platform) && allows(cpu, process.arch);
}

function allows(list, value) {
  if (list === undefined) return true;
  const names = [list].flat();
  if (names.includes(`!${value}`)) return false;
  return names.includes(value) || names.every((name) => name.startsWith("!"));
}
