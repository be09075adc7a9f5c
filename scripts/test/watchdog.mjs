// Runs Vitest in a process group of its own, prints its progress, and kills the group if a file makes none: Vitest's own
// timeouts cannot interrupt a synchronous endless loop.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { RunProgress } from "./run-progress.mjs";

const vitest = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
const reporter = join(import.meta.dirname, "reporter.mjs");
const checkEveryMs = 1_000;
const stopWithinMs = 5_000;

/**
 * Returns when Vitest and all processes of its group have ended.
 *
 * @param {string} root
 * @param {string[]} args
 * @param {{ stallMs: number, runMs: number }} limits how long a file may be silent and the run may take
 * @param {number} progressMs the time between two lines of progress
 */
export async function runVitest(root, args, limits, progressMs) {
  const progress = new RunProgress(limits);
  const child = spawn(process.execPath, [vitest, ...args, `--reporter=${reporter}`], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.on("message", (message) => progress.note(message));
  const stopForwarding = forwardSignals(child);
  const watch = setInterval(() => {
    if (progress.hangs()) killGroup(child, "SIGKILL");
  }, checkEveryMs);
  const report = setInterval(() => console.log(progress.line()), progressMs);
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(watch);
  clearInterval(report);
  stopForwarding();
  // Processes that tests started and did not end.
  killGroup(child, "SIGKILL");
  return progress.outcome(code);
}

/** A process group of its own gets no signals from the terminal. */
function forwardSignals(child) {
  const forward = (signal) => {
    killGroup(child, signal);
    setTimeout(() => killGroup(child, "SIGKILL"), stopWithinMs).unref();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

function killGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended.
  }
}
