/** The longest time for which the main thread ran nothing else, in milliseconds of its CPU time: a busy machine does not count. */
export function watchLoop() {
  let before = cpuMs();
  let longestHoldMs = 0;
  const timer = setInterval(() => {
    const now = cpuMs();
    longestHoldMs = Math.max(longestHoldMs, now - before);
    before = now;
  }, 1);
  return {
    /** The time since the last call. */
    take(): number {
      const longest = longestHoldMs;
      longestHoldMs = 0;
      before = cpuMs();
      return longest;
    },
    stop: () => clearInterval(timer),
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
