#!/usr/bin/env node
// Starts the command on Node 24. Plain JavaScript that Node 20 runs, because the machine may have nothing newer.
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { programName } from "./program-name.mjs";

const wantedMajor = 24;
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");

// npm runs scripts in the root of the project, but paths on the command line are relative to the user's folder.
if (process.env.npm_lifecycle_event === "muster" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);

process.env.MUSTER_PROGRAM = programName(process.env, process.cwd());

if (Number.parseInt(process.versions.node, 10) >= wantedMajor) await start();
else await runOn(packagedNode());

/** Runs the bundle: beside this file where it is installed, in the repository the one that scripts/setup.mjs has built. */
async function start() {
  const folder = [here, join(root, "node_modules/.cache/muster/current")].find((candidate) =>
    existsSync(join(candidate, "start.mjs")),
  );
  if (folder === undefined || (folder !== here && process.env.MUSTER_SOURCES))
    return import(pathToFileURL(join(root, "deploy/serve/src/start.ts")).href);
  // Compiled code is executed, so it is kept inside the installation. If nothing can be written there, starts take longer.
  const compiled = join(realpathSync(folder), "compiled");
  const { status } = module.enableCompileCache({ directory: compiled, portable: true });
  // Threads and child processes read it from the environment.
  if (status === module.constants.compileCacheStatus.ENABLED) {
    process.env.NODE_COMPILE_CACHE ??= compiled;
    process.env.NODE_COMPILE_CACHE_PORTABLE ??= "1";
  }
  return import(pathToFileURL(join(folder, "start.mjs")).href);
}

/** The Node that is installed as a package, in the node_modules of this folder or a parent. */
function packagedNode() {
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules/.bin/node");
    if (existsSync(candidate)) return candidate;
  }
  return undefined;
}

async function runOn(node) {
  if (node === undefined) {
    process.stderr.write(
      `muster requires Node ${wantedMajor} or newer, and this is ${process.version}. In the Muster repository, npm start installs it.\n`,
    );
    process.exitCode = 2;
    return;
  }
  // Only here: a short command would load it in vain.
  const { spawn } = await import("node:child_process");
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // The terminal sends Ctrl-C to both processes, and the child handles it. Other signals reach only this process.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`muster: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
}
