export type {
  CounterName,
  GaugeName,
  HistogramName,
  LabelsOf,
  MetricName,
  ProcessName,
} from "./definitions.ts";
export { definitionOf, metricNames } from "./definitions.ts";
export { type MeasuredQueue, measureQueue } from "./measure-queue.ts";
export type { Metrics, ReadGauge } from "./metrics.ts";
export { openMetrics, type ProcessMetrics, withMetrics } from "./open-metrics.ts";
export { type MetricsSettings, readMetricsSettings } from "./read-metrics-settings.ts";
