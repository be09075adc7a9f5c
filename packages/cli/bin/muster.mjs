#!/usr/bin/env node
// Starts the command on Node 24. Plain JavaScript that Node 20 runs, because the machine may have nothing newer.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programName } from "./program-name.mjs";

const wantedMajor = 24;
const start = fileURLToPath(new URL("start.mjs", import.meta.url));

// npm runs scripts in the root of the project, but paths on the command line are relative to the user's folder.
if (process.env.npm_lifecycle_event === "muster" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);

// For start.mjs, which may run in another process.
process.env.MUSTER_PROGRAM = programName(process.env, process.cwd());

if (Number.parseInt(process.versions.node, 10) >= wantedMajor) await import("./start.mjs");
else runOn(packagedNode());

/** The Node that is installed as a package, in the node_modules of this folder or a parent. */
function packagedNode() {
  for (let folder = dirname(start); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules/.bin/node");
    if (existsSync(candidate)) return candidate;
  }
  return undefined;
}

function runOn(node) {
  if (node === undefined) {
    process.stderr.write(
      `muster requires Node ${wantedMajor} or newer, and this is ${process.version}. In the Muster repository, npm start installs it.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const child = spawn(node, [start, ...process.argv.slice(2)], { stdio: "inherit" });
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
