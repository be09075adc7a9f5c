import assert from "node:assert/strict";
import { slowdown, slowness } from "@muster/language/testing/cpu-time";

/** The longest time that one turn of the main loop may take, in milliseconds of CPU time on the machine of the bounds. */
const maxHeldMs = 50;
/** A collection of garbage or the first run of some code also blocks the loop; code that blocks it does so each time. */
const tries = 3;

/**
 * Measures the longest time for which the main thread ran nothing else, in milliseconds of its CPU time: a busy machine does not
 * count. A long one is divided by the slowness of the machine at that moment.
 */
export function watchLoop() {
  const watches = new Set<{ longestMs: number }>();
  let before = cpuMs();
  const look = () => {
    const heldMs = cpuMs() - before;
    const ms = heldMs < maxHeldMs ? heldMs : heldMs / slowness();
    for (const watch of watches) watch.longestMs = Math.max(watch.longestMs, ms);
    before = cpuMs();
  };
  const timer = setInterval(look, 1);
  async function watched<T>(attempt: () => Promise<T>) {
    look();
    const watch = { longestMs: 0 };
    watches.add(watch);
    const result = await attempt();
    look();
    watches.delete(watch);
    return { result, heldMs: watch.longestMs };
  }
  return {
    /** The result of an attempt that leaves the loop free. Several may be under way at once. */
    async staysFree<T>(attempt: () => Promise<T>): Promise<T> {
      const heldMs: number[] = [];
      while (heldMs.length < tries) {
        const last = await watched(attempt);
        if (last.heldMs < maxHeldMs) return last.result;
        heldMs.push(Math.round(last.heldMs));
      }
      assert.fail(`the main loop was held for ${heldMs.join(", ")} ms in ${tries} attempts`);
    },
    stop: () => clearInterval(timer),
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000 / slowdown;
}
