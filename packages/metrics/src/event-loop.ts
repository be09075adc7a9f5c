import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metrics } from "./metrics.ts";

/**
 * How often a timer shows how late it is. Each time wakes the process: at 20 ms this took 2.7 ms of CPU time per
 * second, at 100 ms 0.6. Of a single delay, it shows the rest when the timer is due.
 */
export const everyMs = 100;

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
