// JavaScript, like the modules that it imports before a process is chosen: see deploy/local/src/main.mjs.
// Before the processes are loaded, below.
import "@muster/service/quick-imports";
import { enableCompileCache, constants as modules } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** The processes of the product. Each module runs its process when it is loaded, until a signal stops it. */
const mains = {
  all: () => import("@muster/local/main"),
  gateway: () => import("@muster/gateway/main"),
  auth: () => import("@muster/auth/main"),
  agents: () => import("@muster/agents/main"),
  sessions: () => import("@muster/sessions/main"),
  workforce: () => import("@muster/workforce/main"),
  recorder: () => import("@muster/recorder/main"),
};

/** The programs that `serve` can start: `all` is every service in one process. */
export const processNames = Object.keys(mains);

/**
 * Runs a process of the product in this one. Resolves with its exit code when it has stopped. A process that cannot start
 * writes its reason to standard error and exits with 1 by itself.
 *
 * @param {string} name
 */
export async function serve(name) {
  const [, run] = Object.entries(mains).find(([known]) => known === name) ?? [];
  if (run === undefined) throw new Error(`Muster has no process named ${name}`);
  endOnSignalsThatNobodyHandles();
  // It keeps its own in its data folder, which the others do not have.
  if (name !== "all") keepCompiledCode();
  await run();
  return Number(process.exitCode ?? 0);
}

/**
 * Makes Node keep compiled modules; otherwise each start strips the types of all modules and compiles them. They are
 * executed, so they lie inside the installation: who can change them can change the code itself. If nothing can be
 * written there, as in a container, starts only take longer.
 */
function keepCompiledCode() {
  const folder = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));
  const { status } = enableCompileCache(folder);
  // Worker threads read it from the environment.
  if (status === modules.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE ??= folder;
}

/**
 * A process with the number 1, as in a container, ignores signals without a handler: until it has started, and for a second
 * signal while it stops, it would run on until it is killed.
 */
function endOnSignalsThatNobodyHandles() {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}
