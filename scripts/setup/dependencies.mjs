import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SetupError, say, secondsSince } from "./report.mjs";
import { dropBrokenRuntime, withTemporaryNode } from "./runtime.mjs";

const progressMs = 2000;

/**
 * True if node_modules contains the packages of package-lock.json for this platform: all of them, or those of the product, without
 * the tools of developers. npm writes its own record of the installed tree last, so an interrupted installation does not match.
 */
export function dependenciesMatch(root, { product = false } = {}) {
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(join(root, "node_modules", ".package-lock.json"));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const found = installed[path];
    if (path === "" || (product && entry.dev)) return true;
    if (found === undefined) return mayBeAbsent(entry);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * Installs exactly the versions of the lock file: all packages, or those of the product. Without a lock file, resolves them under
 * Node 24.
 */
export async function installDependencies(root, { product = false } = {}) {
  const startMs = Date.now();
  const options = [product ? "--omit=dev" : "--include=dev", "--include=optional"];
  // The lock file has the checksum of each package, so npm need not ask the registry for those in its cache. Its log of
  // each request costs a sixth of its main thread's time; errors still reach standard error.
  const quick = [preferOffline, "--logs-max=0"];
  const common = [...options, ...quick, "--loglevel=error", "--no-audit", "--no-fund"];
  const size = product ? "about 430 MB" : "about 900 MB with the tools of developers";
  say(`installing dependencies (${size}; later starts skip this) ...`);
  if (!existsSync(join(root, "package-lock.json"))) {
    // npm picks peer versions by the Node version that it runs under: an older one would write a different lock file.
    await withTemporaryNode(root, (node) => runNpm(root, ["install", ...common], node));
  } else if (!product && dependenciesMatch(root, { product: true })) {
    // Adds the tools. `npm ci` would first remove the libraries and the bundle that a server of this checkout runs on.
    await runNpm(root, ["install", "--no-save", ...common], process.execPath);
  } else {
    await runNpm(root, ["ci", ...common], process.execPath);
  }
  dropBrokenRuntime(root);
  say(`dependencies installed in ${secondsSince(startMs)}`);
}

/** With a cache that is older than a locked version, npm fails with ETARGET. */
const preferOffline = "--prefer-offline";

async function runNpm(root, args, node) {
  const npmCli = process.env.npm_execpath;
  const byCli = npmCli?.endsWith(".js") ?? false;
  const npm = spawn(byCli ? node : "npm", byCli ? [npmCli, ...args] : args, {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    shell: !byCli && process.platform === "win32",
  });
  const progress = setInterval(() => reportProgress(root, args), progressMs);
  try {
    const [stderr, [code, signal]] = await Promise.all([text(npm.stderr), once(npm, "close")]);
    if (code !== 0 && args.includes(preferOffline) && stderr.includes("ETARGET"))
      return await runNpm(
        root,
        args.filter((option) => option !== preferOffline),
        node,
      );
    if (code !== 0) throw new SetupError(`npm ${args[0]} failed.\n${explain(stderr, signal)}`);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    throw new SetupError("npm is not on the PATH; install Node 20 or newer with npm from https://nodejs.org");
  } finally {
    clearInterval(progress);
  }
}

/** npm reports its progress to terminals only. It extracts a package into a folder of its final name. */
function reportProgress(root, args) {
  const wanted = Object.entries(readPackages(join(root, "package-lock.json")) ?? {}).filter(
    ([path, entry]) =>
      path.includes("node_modules/") &&
      !(entry.link || mayBeAbsent(entry) || (entry.dev && args.includes("--omit=dev"))),
  );
  const extracted = wanted.filter(([path]) => existsSync(join(root, path, "package.json")));
  say(`  ${extracted.length} of ${wanted.length} packages`);
}

function explain(stderr, signal) {
  const output = stderr.trim() || `ended by ${signal}`;
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
