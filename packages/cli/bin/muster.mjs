#!/usr/bin/env node
// Starts the command on Node 24. Plain JavaScript for Node 20, which may be all that the machine has.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const wantedMajor = 24;
const main = join(dirname(fileURLToPath(import.meta.url)), "../src/main.ts");

// npm runs scripts in the root of the project; what is named on the command line is relative to where the user is.
if (process.env.npm_lifecycle_event === "muster" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);

if (Number.parseInt(process.versions.node, 10) >= wantedMajor) await import("../src/main.ts");
else runOn(packagedNode());

/** The Node that the project's own installation brought, in this folder's node_modules or one above. */
function packagedNode() {
  const file = process.platform === "win32" ? "node.cmd" : "node";
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules/.bin", file);
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
  const child = spawn(node, [main, ...process.argv.slice(2)], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
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
