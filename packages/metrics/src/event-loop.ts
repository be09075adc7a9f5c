import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metrics } from "./metrics.ts";

/** How often a timer of Node's own is expected; its precision costs a wake-up each time. */
const everyMs = 20;

/** Reports how late the event loop is. Returns a function that ends it. */
export function watchEventLoop(metrics: Metrics): () => void {
  const histogram = monitorEventLoopDelay({ resolution: everyMs });
  histogram.enable();
  // Node records the time between two timers, of which only the excess is a delay.
  const delayS = (percentile: number) => {
    if (histogram.count === 0) return 0;
    return Math.max(0, histogram.percentile(percentile) / 1e9 - everyMs / 1e3);
  };
  const ends = [
    metrics.gauge("muster_event_loop_delay_seconds", { quantile: "0.5" }, () => delayS(50)),
    metrics.gauge("muster_event_loop_delay_seconds", { quantile: "0.99" }, () => {
      const value = delayS(99);
      histogram.reset();
      return value;
    }),
  ];
  return () => {
    histogram.disable();
    for (const end of ends) end();
  };
}
