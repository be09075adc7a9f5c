import type { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import type { PanelBuilder as TimeseriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import { graph, number } from "./panels.ts";

interface Row {
  title: string;
  panels: Array<StatBuilder | TimeseriesBuilder>;
}

/** The processes and instances that the reader of the dashboard has chosen. */
const chosen = 'job=~"$job", instance=~"$instance"';
const rate = (metric: string, labels = "") =>
  `rate(${metric}{${[labels, chosen].filter(Boolean).join(", ")}}[$__rate_interval])`;
const quantile = (q: number, metric: string, by = "le") =>
  `histogram_quantile(${q}, sum by (${by}) (${rate(`${metric}_bucket`)}))`;
/** The usual percentiles of a histogram. */
const percentiles = (metric: string) => ({
  p50: quantile(0.5, metric),
  p95: quantile(0.95, metric),
  p99: quantile(0.99, metric),
});

const overview: Row = {
  title: "Overview",
  panels: [
    number({
      title: "Instances ready",
      description:
        "Processes that accept work and reach everything they need. See docs/alerts.md, MusterNotReady.",
      unit: "short",
      queries: { ready: `sum(muster_ready{${chosen}})` },
    }),
    number({
      title: "Requests",
      description: "HTTP requests per second, streams included.",
      unit: "reqps",
      queries: { requests: `sum(${rate("muster_http_requests_total")})` },
    }),
    number({
      title: "Failing requests",
      description: "Share of responses with a status of 500 or above. MusterErrorRatioHigh fires above 2 %.",
      unit: "percentunit",
      queries: {
        failing: `(sum(${rate("muster_http_requests_total", 'status=~"5.."')}) or vector(0)) / sum(${rate("muster_http_requests_total")})`,
      },
    }),
    number({
      title: "Open streams",
      description: "Streams that gateways are sending to readers.",
      unit: "short",
      queries: { streams: `sum(muster_streams_open{job="muster-gateway", instance=~"$instance"})` },
    }),
    number({
      title: "First words after",
      description:
        "95th percentile of the time from a request to the first text, reasoning or tool input of its stream.",
      unit: "s",
      queries: { p95: quantile(0.95, "muster_first_delta_seconds") },
    }),
    number({
      title: "Cost per hour",
      description: "US dollars for model calls, at the present rate.",
      unit: "currencyUSD",
      queries: { cost: `sum(${rate("muster_model_cost_usd_total")}) * 3600` },
    }),
  ],
};

const requests: Row = {
  title: "Requests",
  panels: [
    graph({
      title: "Requests by route",
      description: "The ten busiest routes, requests per second.",
      unit: "reqps",
      queries: {
        "{{method}} {{route}}": `topk(10, sum by (method, route) (${rate("muster_http_requests_total")}))`,
      },
    }),
    graph({
      title: "Responses by status",
      description: "Responses per second. 5xx: see docs/alerts.md, MusterErrorRatioHigh.",
      unit: "reqps",
      isStacked: true,
      queries: { "{{status}}": `sum by (status) (${rate("muster_http_requests_total")})` },
    }),
    graph({
      title: "Latency",
      description: "Duration of requests, without streams.",
      unit: "s",
      queries: percentiles("muster_http_request_duration_seconds"),
    }),
    graph({
      title: "Slowest routes",
      description: "95th percentile of the duration by route, without streams; the ten slowest.",
      unit: "s",
      queries: {
        "{{route}}": `topk(10, ${quantile(0.95, "muster_http_request_duration_seconds", "le, route")})`,
      },
    }),
    graph({
      title: "Refused requests",
      description:
        "Requests per second that gateways refuse, by reason. overload and event_loop: see MusterRequestsRefused.",
      unit: "reqps",
      queries: { "{{reason}}": `sum by (reason) (${rate("muster_http_refusals_total")})` },
    }),
    graph({
      title: "Requests in progress",
      description:
        "Requests that a gateway has not answered; a stream counts until its first event. Bounded by MAX_REQUESTS_IN_PROGRESS.",
      unit: "short",
      queries: { "{{instance}}": `sum by (instance) (muster_http_requests_in_progress{${chosen}})` },
    }),
    graph({
      title: "Calls between services",
      description: "gRPC calls per second by service and code.",
      unit: "reqps",
      queries: { "{{service}} {{code}}": `sum by (service, code) (${rate("muster_rpc_requests_total")})` },
    }),
    graph({
      title: "Latency of calls between services",
      description: "95th percentile of unary calls by service.",
      unit: "s",
      queries: { "{{service}}": quantile(0.95, "muster_rpc_request_duration_seconds", "le, service") },
    }),
  ],
};

const streams: Row = {
  title: "Streams and turns",
  panels: [
    graph({
      title: "Open streams",
      description:
        "By instance: streams to readers in gateways, and turns that are being streamed in sessions processes.",
      unit: "short",
      queries: { "{{job}} {{instance}}": `sum by (job, instance) (muster_streams_open{${chosen}})` },
    }),
    graph({
      title: "Time to the first words",
      description:
        "From the request to the first text, reasoning or tool input. MusterFirstDeltaSlow fires at 10 s.",
      unit: "s",
      queries: percentiles("muster_first_delta_seconds"),
    }),
    graph({
      title: "How streams end",
      description: "Streams per second by finish reason; error, client_left and cut are endings without one.",
      unit: "ops",
      isStacked: true,
      queries: { "{{outcome}}": `sum by (outcome) (${rate("muster_stream_outcomes_total")})` },
    }),
    graph({
      title: "Turns",
      description: "Turns that end, per second and by outcome.",
      unit: "ops",
      isStacked: true,
      queries: { "{{outcome}}": `sum by (outcome) (${rate("muster_turns_total")})` },
    }),
  ],
};

const models: Row = {
  title: "Models and tools",
  panels: [
    graph({
      title: "Tokens by model",
      description: "Tokens per second, as the providers count them.",
      unit: "short",
      queries: {
        "{{model}} {{direction}}": `sum by (model, direction) (${rate("muster_model_tokens_total")})`,
      },
    }),
    graph({
      title: "Cost by model",
      description: "US dollars per hour, at the catalogue's prices.",
      unit: "currencyUSD",
      isStacked: true,
      queries: { "{{model}}": `sum by (model) (${rate("muster_model_cost_usd_total")}) * 3600` },
    }),
    graph({
      title: "Calls by outcome",
      description:
        "Calls of providers per second. MusterModelErrors fires if a fifth of a model's calls fail.",
      unit: "ops",
      queries: {
        "{{model}} {{outcome}}": `sum by (model, outcome) (${rate("muster_model_requests_total")})`,
      },
    }),
    graph({
      title: "Providers: time to the first part",
      description:
        "95th percentile by provider. If the first words are late and this is not, the delay is in Muster.",
      unit: "s",
      queries: { "{{provider}}": quantile(0.95, "muster_model_first_part_seconds", "le, provider") },
    }),
    graph({
      title: "Remote tools: calls by outcome",
      description: "Calls of MCP servers and HTTP tools per second.",
      unit: "ops",
      queries: {
        "{{kind}} {{outcome}}": `sum by (kind, outcome) (${rate("muster_remote_call_duration_seconds_count")})`,
      },
    }),
    graph({
      title: "Remote tools: duration",
      description: "95th percentile. Their wait for other calls is in the queues.",
      unit: "s",
      queries: { "{{kind}}": quantile(0.95, "muster_remote_call_duration_seconds", "le, kind") },
    }),
  ],
};

const work: Row = {
  title: "Workforce",
  panels: [
    graph({
      title: "Webhooks: attempts",
      description:
        "Attempts to send events, per second and by outcome. Webhooks that wait are in the queues.",
      unit: "ops",
      queries: {
        "{{outcome}}": `sum by (outcome) (${rate("muster_webhook_attempt_duration_seconds_count")})`,
      },
    }),
    graph({
      title: "Hooks",
      description: "Deliveries of hooks that end, per second and by outcome.",
      unit: "ops",
      isStacked: true,
      queries: { "{{outcome}}": `sum by (outcome) (${rate("muster_hook_deliveries_total")})` },
    }),
    graph({
      title: "Schedules: lateness",
      description: "How late the threads of schedules were started: nine of ten, and half of them.",
      unit: "s",
      queries: {
        p90: quantile(0.9, "muster_schedule_lateness_seconds"),
        p50: quantile(0.5, "muster_schedule_lateness_seconds"),
      },
    }),
    graph({
      title: "Audit log: lag",
      description: "For how long changes may have been missing from the audit log.",
      unit: "s",
      queries: { lag: "max(muster_audit_lag_seconds)" },
    }),
    graph({
      title: "Audit log: entries",
      description: "Entries that are appended, per second, and that wait.",
      unit: "short",
      queries: {
        appended: `sum(${rate("muster_audit_entries_total")})`,
        waiting: "max(muster_audit_pending)",
      },
    }),
    graph({
      title: "Runs",
      description: "Runs of workforce agents that end, per second and by outcome.",
      unit: "ops",
      isStacked: true,
      queries: { "{{outcome}}": `sum by (outcome) (${rate("muster_runs_total")})` },
    }),
    graph({
      title: "Recordings",
      description: "Recordings that become a video or fail for good, per second.",
      unit: "ops",
      isStacked: true,
      queries: { "{{outcome}}": `sum by (outcome) (${rate("muster_recordings_total")})` },
    }),
    graph({
      title: "Connected computers",
      description: "Computers that have dialled in, by process.",
      unit: "short",
      queries: { "{{instance}}": `sum by (instance) (muster_computers_connected{${chosen}})` },
    }),
    graph({
      title: "Queues",
      description:
        "Work that waits, by queue. MusterQueueFull fires if one is never below 20 for ten minutes.",
      unit: "short",
      queries: { "{{job}} {{queue}}": `sum by (job, queue) (muster_queue_depth{${chosen}})` },
    }),
    graph({
      title: "Longest wait",
      description: "How long the first in a queue has been waiting, by queue.",
      unit: "s",
      queries: { "{{job}} {{queue}}": `max by (job, queue) (muster_queue_age_seconds{${chosen}})` },
    }),
  ],
};

const storeAndEvents: Row = {
  title: "Store and events",
  panels: [
    graph({
      title: "Store latency",
      description: "99th percentile of the store's operations by process. MusterStoreSlow fires at 0.5 s.",
      unit: "s",
      queries: { "{{job}}": quantile(0.99, "muster_store_operation_duration_seconds", "le, job") },
    }),
    graph({
      title: "Store operations",
      description: "Operations per second by the driver's method, such as findOneAndUpdate.",
      unit: "ops",
      queries: {
        "{{operation}}": `sum by (operation) (${rate("muster_store_operation_duration_seconds_count")})`,
      },
    }),
    graph({
      title: "Store errors",
      description: "Failed operations per second by kind.",
      unit: "ops",
      queries: { "{{job}} {{kind}}": `sum by (job, kind) (${rate("muster_store_errors_total")})` },
    }),
    graph({
      title: "Full disks",
      description:
        "1 where a process cannot write because a disk is full. MusterStorageFull fires after a minute.",
      unit: "short",
      queries: { "{{job}} {{storage}}": `max by (job, storage) (muster_storage_full{${chosen}})` },
    }),
    graph({
      title: "Event lag",
      description:
        "99th percentile of the time from an event to its handling, by process. MusterEventLagHigh fires at 5 s.",
      unit: "s",
      queries: { "{{job}}": quantile(0.99, "muster_event_lag_seconds", "le, job") },
    }),
    graph({
      title: "Outbox age",
      description:
        "Age of the oldest event that is not published; 0 if there is none. MusterOutboxStuck fires at one minute.",
      unit: "s",
      queries: { "{{job}} {{outbox}}": `max by (job, outbox) (muster_outbox_age_seconds{${chosen}})` },
    }),
    graph({
      title: "Lease takeovers",
      description:
        "Sessions, runs and recordings that an instance took over from one that had died or stopped responding.",
      unit: "short",
      queries: {
        "{{kind}}": `sum by (kind) (increase(muster_lease_takeovers_total{${chosen}}[$__rate_interval]))`,
      },
    }),
  ],
};

const processes: Row = {
  title: "Processes",
  panels: [
    graph({
      title: "Event-loop delay",
      description:
        "99th percentile by instance. Above 0.5 s, everything that the process does is late (MusterEventLoopDelayed).",
      unit: "s",
      queries: { "{{job}} {{instance}}": `muster_event_loop_delay_seconds{quantile="0.99", ${chosen}}` },
    }),
    graph({
      title: "CPU",
      description: "Cores that each instance uses. A process uses little more than one.",
      unit: "short",
      queries: { "{{job}} {{instance}}": rate("process_cpu_seconds_total") },
    }),
    graph({
      title: "Memory",
      description: "Resident memory by instance.",
      unit: "bytes",
      queries: { "{{job}} {{instance}}": `process_resident_memory_bytes{${chosen}}` },
    }),
    graph({
      title: "Heap",
      description: "Memory that JavaScript values use, by instance.",
      unit: "bytes",
      queries: { "{{job}} {{instance}}": `nodejs_heap_size_used_bytes{${chosen}}` },
    }),
    graph({
      title: "Ready",
      description: "1 for each instance that accepts work and reaches everything it needs.",
      unit: "short",
      queries: { "{{job}} {{instance}}": `muster_ready{${chosen}}` },
    }),
    graph({
      title: "Versions",
      description:
        "Instances by version and commit; two lines of one process mean that an update is in progress.",
      unit: "short",
      isStacked: true,
      queries: {
        "{{process}} {{version}} {{commit}}": `count by (process, version, commit) (muster_build_info{${chosen}})`,
      },
    }),
  ],
};

export const rows: readonly Row[] = [overview, requests, streams, models, work, storeAndEvents, processes];
