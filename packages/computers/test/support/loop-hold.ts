import { slowdown, slowness } from "@muster/language/testing/cpu-time";

/** The longest time that one turn of the main loop may take, in milliseconds of CPU time on the machine of the bounds. */
export const maxHeldMs = 50;

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
  return {
    /** Returns the function that ends it, and returns the longest time in between. Several may run at once. */
    start(): () => number {
      look();
      const watch = { longestMs: 0 };
      watches.add(watch);
      return () => {
        look();
        watches.delete(watch);
        return watch.longestMs;
      };
    },
    stop: () => clearInterval(timer),
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000 / slowdown;
}
