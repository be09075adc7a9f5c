// Loaded into Muster's process: reports what is alive on the heap, and the CPU time of the process so far.
process.on("message", () => {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send?.({ heapBytes: process.memoryUsage().heapUsed, cpuMs: (user + system) / 1_000 });
});
process.channel?.unref();
