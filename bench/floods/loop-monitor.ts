// Preloaded into the server. On any message from its parent it reports the longest hold of the main loop since the
// last one, in milliseconds: the most CPU time that the main thread spent between two rounds of its timers.

let before = cpuMs();
let longestHoldMs = 0;

setInterval(() => {
  const now = cpuMs();
  longestHoldMs = Math.max(longestHoldMs, now - before);
  before = now;
}, 1).unref();

process.on("message", () => {
  process.send?.({ value: longestHoldMs });
  longestHoldMs = 0;
});
// The channel must not keep a server alive that has stopped.
process.channel?.unref();

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
