import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * A recording may take longer while runs need the processor. Linux keeps a priority for each thread, and those that V8 compiles
 * and collects garbage with exist before the first line of a program.
 */
export function yieldToRuns(niceness: number): void {
  for (const thread of threadIds()) {
    try {
      setPriority(thread, niceness);
    } catch {
      // The thread has ended, or the platform refuses: the recording is rendered all the same.
    }
  }
}

function threadIds(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [0];
  }
}
