import type { Metrics } from "@muster/metrics";
import type { Bus } from "./bus.ts";

/** The bus, which measures how late its events reach their handlers. The bus itself without metrics. */
export function measureLag(bus: Bus, metrics: Metrics | undefined): Bus {
  if (metrics === undefined) return bus;
  return {
    publish: (subject, event, options) => bus.publish(subject, event, options),
    subscribe: (subject, options, handler) =>
      bus.subscribe(subject, options, (event, meta) => {
        // A redelivered event waited for its handler to succeed, and not for the bus.
        if (!meta.redelivered) {
          const lagMs = Math.max(0, Date.now() - meta.publishedAtMs);
          metrics.observe("muster_event_lag_seconds", { subject }, lagMs / 1e3);
        }
        return handler(event, meta);
      }),
    onRebuild: (callback) => bus.onRebuild(callback),
    ping: () => bus.ping(),
    close: () => bus.close(),
  };
}
