import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

const lowest = 19;

/**
 * A recording may take longer while runs need the processor. Where the system has `chrt`, the process gets only the
 * time that no other process wants; a low priority alone still makes others wait at times. Linux keeps a priority for
 * each thread, and those that V8 compiles and collects garbage with exist before the first line of a program.
 */
export function yieldToRuns(): void {
  for (const thread of threadIds()) {
    try {
      setPriority(thread, lowest);
    } catch {
      // The thread has ended, or the platform refuses: the recording is rendered all the same.
    }
  }
  // Without the program, or without the right, nothing changes.
  if (process.platform === "linux")
    spawnSync("chrt", ["--all-tasks", "--idle", "--pid", "0", String(process.pid)], { stdio: "ignore" });
}

function threadIds(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [0];
  }
}
