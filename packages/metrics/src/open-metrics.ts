import { type Logger, type Service, stopAll } from "@muster/service";
import manifest from "../package.json" with { type: "json" };
import type { ProcessName } from "./definitions.ts";
import type { Metrics } from "./metrics.ts";
import type { MetricsSettings } from "./read-metrics-settings.ts";

export interface ProcessMetrics {
  readonly metrics: Metrics;
  /** The URL of the metrics, once the process has begun to start. */
  readonly url: string | undefined;
  /** The service, with metrics that are served from before its start until after its stop. */
  around(service: Service): Service;
}

interface OpenOptions {
  process: ProcessName | "local";
  log: Logger;
}

/** The service, with metrics around it if there are any. */
export function withMetrics(opened: ProcessMetrics | undefined, service: Service): Service {
  return opened === undefined ? service : opened.around(service);
}

/**
 * The metrics of this process; nothing is loaded, measured or served without settings. It listens as soon as the process
 * starts, and stops last, so that the stop can be watched as well.
 */
export async function openMetrics(
  settings: MetricsSettings | undefined,
  { process, log }: OpenOptions,
): Promise<ProcessMetrics | undefined> {
  if (settings === undefined) return undefined;
  const { MetricsRegistry } = await import("./registry.ts");
  const { createMetricsServer } = await import("./server.ts");
  const { watchEventLoop } = await import("./event-loop.ts");
  const registry = new MetricsRegistry({ process });
  const server = createMetricsServer({ source: registry, ...settings, log });
  const unwatch = watchEventLoop(registry);
  const build = { version: manifest.version, commit: settings.commit, process };
  registry.gauge("muster_build_info", build, () => 1);
  let isServing = false;
  let url: string | undefined;
  registry.gauge("muster_ready", {}, () => Number(isServing));
  return {
    metrics: registry,
    get url() {
      return url;
    },
    around: (service) => ({
      start: async () => {
        url = await server.start();
        try {
          await service.start();
        } catch (error) {
          await server.stop();
          throw error;
        }
        isServing = true;
      },
      warmUp: () => service.warmUp?.(),
      stop: () => {
        isServing = false;
        return stopAll([() => service.stop(), async () => unwatch(), () => server.stop()]);
      },
    }),
  };
}
