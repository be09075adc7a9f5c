/** Code that is instrumented for coverage takes several times as long. */
const slowdown = process.env.TEST_COVERAGE === "on" ? 5 : 1;

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

/** The time of the shorter of two runs: in the first one, V8 may still compile the code. */
export function warmCpuTimeMs(run: () => void): number {
  return Math.min(cpuTimeMs(run), cpuTimeMs(run));
}
