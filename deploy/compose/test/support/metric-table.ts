import { definitionOf, metricNames } from "@muster/metrics";

/** The values that a label may have: a list, or text that its writer bounds. */
type LabelValues = readonly string[] | "bounded";

export interface Metric {
  type: "counter" | "gauge" | "histogram";
  labels: Readonly<Record<string, LabelValues>>;
}

const counter = (): Metric => ({ type: "counter", labels: {} });
const gauge = (): Metric => ({ type: "gauge", labels: {} });

/** The metrics that the rules and the dashboard may name. */
export const metricTable: Readonly<Record<string, Metric>> = Object.fromEntries(
  metricNames.map((name) => [name, definitionOf(name)]),
);

/** The metrics of Prometheus itself, and Node's own. */
export const commonMetrics: Readonly<Record<string, Metric>> = {
  up: gauge(),
  process_start_time_seconds: gauge(),
  process_cpu_seconds_total: counter(),
  process_resident_memory_bytes: gauge(),
  nodejs_heap_size_used_bytes: gauge(),
};
