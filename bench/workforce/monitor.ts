// Loaded into Muster's process: reports its CPU time so far, of all threads and of the main thread.
process.on("message", () => {
  const all = process.cpuUsage();
  const main = process.threadCpuUsage();
  process.send?.({ cpuMs: (all.user + all.system) / 1_000, mainMs: (main.user + main.system) / 1_000 });
});
process.channel?.unref();
