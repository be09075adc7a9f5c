import { definitionOf, metricNames } from "@muster/metrics";

/** The values that a label may have: a list, or text that its writer bounds. */
type LabelValues = readonly string[] | "bounded";

export interface Metric {
  type: "counter" | "gauge" | "histogram";
  labels: Readonly<Record<string, LabelValues>>;
}

const counter = (...labels: string[]): Metric => ({ type: "counter", labels: bounded(labels) });
const gauge = (...labels: string[]): Metric => ({ type: "gauge", labels: bounded(labels) });
const histogram = (...labels: string[]): Metric => ({ type: "histogram", labels: bounded(labels) });
const bounded = (labels: readonly string[]) =>
  Object.fromEntries(labels.map((label) => [label, "bounded"] as const));

/** What the processes have agreed to expose. The definitions in packages/metrics go first. */
const agreed: Readonly<Record<string, Metric>> = {
  muster_http_requests_total: counter("route", "method", "status"),
  muster_http_request_duration_seconds: histogram("route", "method"),
  muster_http_requests_in_progress: gauge(),
  muster_http_refusals_total: counter("reason"),
  muster_streams_open: gauge(),
  muster_first_delta_seconds: histogram(),
  muster_stream_outcomes_total: counter("outcome"),
  muster_rpc_requests_total: counter("service", "method", "code"),
  muster_rpc_request_duration_seconds: histogram("service", "method"),
  muster_store_operation_duration_seconds: histogram("operation"),
  muster_store_errors_total: counter("kind"),
  muster_lease_takeovers_total: counter("kind"),
  muster_queue_depth: gauge("queue"),
  muster_event_lag_seconds: histogram("subject"),
  muster_outbox_age_seconds: gauge("outbox"),
  muster_turns_total: counter("outcome"),
  muster_runs_total: counter("outcome"),
  muster_recordings_total: counter("outcome"),
  muster_model_tokens_total: counter("model", "direction"),
  muster_model_cost_usd_total: counter("model"),
  muster_model_requests_total: counter("model", "outcome"),
  muster_model_first_part_seconds: histogram("provider"),
  muster_event_loop_delay_seconds: { type: "gauge", labels: { quantile: ["0.5", "0.99"] } },
  muster_build_info: gauge("version", "commit", "process"),
  muster_ready: gauge(),
};

/** The metrics that the rules and the dashboard may name. */
export const metricTable: Readonly<Record<string, Metric>> = {
  ...agreed,
  ...Object.fromEntries(metricNames.map((name) => [name, definitionOf(name)])),
};

/** Of Prometheus itself, and Node's own. */
export const commonMetrics: Readonly<Record<string, Metric>> = {
  up: gauge(),
  process_start_time_seconds: gauge(),
  process_cpu_seconds_total: counter(),
  process_resident_memory_bytes: gauge(),
  nodejs_heap_size_used_bytes: gauge(),
};
