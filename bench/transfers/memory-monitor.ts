// Preloaded into the server, with `--expose-gc`. On any message from its parent it reports how many bytes the main thread holds:
// objects and buffers, without garbage.

process.on("message", () => {
  globalThis.gc?.();
  // Buffers count until they are swept, which the next collection waits for.
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  process.send?.({ value: heapUsed + arrayBuffers });
});
// The channel must not keep a server alive that has stopped.
process.channel?.unref();
