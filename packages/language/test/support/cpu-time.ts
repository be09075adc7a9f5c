/** Code that is instrumented for coverage takes several times as long. */
export const slowdown = process.env.TEST_COVERAGE === "on" ? 5 : 1;

/**
 * Runs something and returns the CPU time that this thread spent on it, in milliseconds. Other work on the machine
 * lengthens wall time but not CPU time.
 */
export function cpuTimeMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / slowdown;
}

const yardstick = JSON.stringify(
  Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ["a"] })),
);
/** The CPU time of five readings of it on the machine for which the bounds of the tests were chosen. */
const yardstickMs = 60;

/** How much slower than that machine this one is at the moment; 1 if it is not. */
export function slowness(): number {
  const once = () =>
    cpuTimeMs(() => {
      for (let times = 0; times < 5; times++) JSON.parse(yardstick);
    });
  return Math.max(1, Math.min(once(), once()) / yardstickMs);
}

/**
 * The CPU time of a run if it is below the bound, else the shorter of two: in the first one, V8 may still compile the code.
 * On a slower machine, it is then the time that it would have taken on the one for which the bounds were chosen.
 */
export function warmCpuTimeMs(boundMs: number, run: () => void): number {
  const firstMs = cpuTimeMs(run);
  return firstMs < boundMs ? firstMs : Math.min(firstMs, cpuTimeMs(run)) / slowness();
}
