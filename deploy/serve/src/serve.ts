import { constants } from "node:os";

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
export const processNames: readonly string[] = Object.keys(mains);

/**
 * Runs a process of the product in this one. Resolves with its exit code when it has stopped. A process that cannot start
 * writes its reason to standard error and exits with 1 by itself.
 */
export async function serve(name: string): Promise<number> {
  const [, run] = Object.entries(mains).find(([known]) => known === name) ?? [];
  if (run === undefined) throw new Error(`Muster has no process named ${name}`);
  endOnSignalsThatNobodyHandles();
  await run();
  return Number(process.exitCode ?? 0);
}

/**
 * A process with the number 1, as in a container, ignores signals without a handler: until it has started, and for a second
 * signal while it stops, it would run on until it is killed.
 */
function endOnSignalsThatNobodyHandles() {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}
