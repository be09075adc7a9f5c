import { monitorEventLoopDelay } from "node:perf_hooks";

// Preloaded into the server. On any message from its parent it reports the longest hold since the last one, in ms.

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

process.on("message", () => {
  process.send?.({ longestHoldMs: delays.max / 1e6 });
  delays.reset();
});
// The channel must not keep a server alive that has stopped.
process.channel?.unref();
