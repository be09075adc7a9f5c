// Loaded into Muster's process. It replies to "cpu" with the CPU time so far, of all threads and of the main thread; and to
// "hold" with the most CPU time that the main thread spent between two rounds of its timers since the last "hold".
let longestHoldMs = 0;
let lastMs: number | undefined;

process.on("message", (asked) => {
  if (asked === "cpu")
    process.send?.({ cpuMs: sum(process.cpuUsage()), mainMs: sum(process.threadCpuUsage()) });
  if (asked !== "hold") return;
  process.send?.({ longestHoldMs });
  longestHoldMs = 0;
  // Only a benchmark of holds pays for the timer.
  if (lastMs === undefined) setInterval(watch, 1).unref();
  lastMs ??= sum(process.threadCpuUsage());
});
// The channel must not keep a server alive that has stopped.
process.channel?.unref();

function watch(): void {
  const nowMs = sum(process.threadCpuUsage());
  longestHoldMs = Math.max(longestHoldMs, nowMs - (lastMs ?? nowMs));
  lastMs = nowMs;
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
