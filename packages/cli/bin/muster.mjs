#!/usr/bin/env node
// Starts the command on Node 24. Plain JavaScript for Node 20, which may be all that the machine has.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const wantedMajor = 24;
const start = fileURLToPath(new URL("start.mjs", import.meta.url));

// npm runs scripts in the root of the project; what is named on the command line is relative to where the user is.
if (process.env.npm_lifecycle_event === "muster" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);

if (Number.parseInt(process.versions.node, 10) >= wantedMajor) await import("./start.mjs");
else runOn(packagedNode());

/** The Node that the project's own installation brought, in this folder's node_modules or one above. */
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
      `muster needs Node ${wantedMajor}, this is ${process.version}. Run npm start once, which fetches it.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const child = spawn(node, [start, ...process.argv.slice(2)], { stdio: "inherit" });
  // The terminal sends Ctrl-C to both; the child decides what it means. Other signals reach this process alone.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`muster cannot start ${node}: ${error.message}\n`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
}
