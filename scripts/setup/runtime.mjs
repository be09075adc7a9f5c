import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SetupError, say } from "./report.mjs";

const wantedMajor = 24;

/**
 * Makes sure that `node` in npm scripts (node_modules/.bin first, then the machine's own) is Node 24 or newer.
 * The platform packages in `optionalDependencies` provide it on supported platforms.
 */
export function ensureRuntime(root) {
  if (majorOf(process.versions.node) >= wantedMajor) return;
  const packaged = packagedNode(root);
  if (existsSync(packaged) && versionOf(packaged) >= wantedMajor) return;
  throw new SetupError(
    `Muster runs on Node ${wantedMajor}, this is ${process.version}, and there is no packaged Node for ` +
      `${process.platform}-${process.arch} that runs here. ` +
      `Install Node ${wantedMajor} (https://nodejs.org/en/download), put it first on the PATH and try again.`,
  );
}

/** A packaged Node that does not run here (because of another C library) would hide the machine's own from npm scripts. */
export function dropBrokenRuntime(root) {
  const packaged = packagedNode(root);
  if (existsSync(packaged) && versionOf(packaged) < wantedMajor) rmSync(packaged);
}

/** Calls `work` with the path of a Node 24: this one, or one that is fetched into a temporary folder. */
export async function withTemporaryNode(root, work) {
  if (majorOf(process.versions.node) >= wantedMajor) return work(process.execPath);
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const name = platformPackage(Object.keys(optionalDependencies));
  const folder = mkdtempSync(join(tmpdir(), "muster-node-"));
  try {
    say(`fetching ${name} to resolve dependencies with`);
    fetchPackage(folder, `${name}@${optionalDependencies[name]}`);
    const file = process.platform === "win32" ? "node.exe" : "node";
    return await work(join(folder, "node_modules", name, "bin", file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A Node 24, once `ensureRuntime` has passed. */
export function nodeOf(root) {
  return majorOf(process.versions.node) >= wantedMajor ? process.execPath : packagedNode(root);
}

function packagedNode(root) {
  return join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
}

function platformPackage(names) {
  const os = process.platform === "win32" ? "win" : process.platform;
  const name = names.find((candidate) => candidate.endsWith(`-${os}-${process.arch}`));
  if (name !== undefined) return name;
  throw new SetupError(
    `no packaged Node exists for ${os}-${process.arch}; install Node ${wantedMajor} yourself`,
  );
}

function fetchPackage(folder, spec) {
  const args = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--loglevel=error",
    "--no-audit",
    "--no-fund",
    spec,
  ];
  const { status, stderr } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    shell: process.platform === "win32",
  });
  if (status !== 0)
    throw new SetupError(`cannot fetch ${spec}: ${stderr?.trim() ?? "npm is not on the PATH"}`);
}

function versionOf(executable) {
  const { stdout } = spawnSync(executable, ["--version"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  return majorOf(stdout?.trim().slice(1) ?? "");
}

function majorOf(version) {
  return Number.parseInt(version, 10) || 0;
}
