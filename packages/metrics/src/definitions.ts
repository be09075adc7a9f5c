/** A process of the product. `npm start` has the metrics of all of them. */
export type ProcessName = "gateway" | "auth" | "agents" | "sessions" | "workforce" | "recorder";

/** The values that a label may have: a list, or text that its writer bounds. */
export type LabelValues = readonly [string, ...string[]] | "bounded";

interface Definition {
  readonly type: "counter" | "gauge" | "histogram";
  /** The meaning of the metric, in one sentence; the page docs/metrics.md shows it too. */
  readonly help: string;
  readonly labels: { readonly [label: string]: LabelValues };
  /** The processes that have it. */
  readonly processes: readonly ProcessName[];
  /** The upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
  /**
   * Of a gauge that several parts of one process report: how their values become one. `min`: the smallest, and 0 if one is
   * missing. `max`: the largest that is known. Default: their sum, which is missing if one is.
   */
  readonly combine?: "min" | "max";
}

const everywhere = ["gateway", "auth", "agents", "sessions", "workforce", "recorder"] as const;

const services = ["auth", "agents", "sessions", "workforce", "recorder"] as const;

const withStore = ["auth", "agents", "sessions", "workforce"] as const;

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Every metric of the product besides Node's own. Labels never name projects, keys, sessions, agents or URLs. */
export const definitions = {
  muster_ready: {
    type: "gauge",
    help: "1 if the process accepts requests and everything it needs responds, else 0.",
    labels: {},
    processes: everywhere,
    combine: "min",
  },
  muster_build_info: {
    type: "gauge",
    help: "Always 1; its labels say what runs.",
    labels: { version: "bounded", commit: "bounded", process: [...everywhere, "local"] },
    processes: everywhere,
  },
  muster_http_requests_total: {
    type: "counter",
    help: "HTTP requests; `route` is the pattern of the path or `none`, `status` is `none` if the client left before the response.",
    labels: { route: "bounded", method: "bounded", status: "bounded" },
    processes: ["gateway"],
  },
  muster_http_request_duration_seconds: {
    type: "histogram",
    help: "Time from the headers of a request to the end of its response, without streams.",
    labels: {
      route: "bounded",
      method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"],
    },
    processes: ["gateway"],
    buckets: latencyBuckets,
  },
  muster_http_requests_in_progress: {
    type: "gauge",
    help: "HTTP requests whose response has not ended, streams included.",
    labels: {},
    processes: ["gateway"],
  },
  muster_http_refusals_total: {
    type: "counter",
    help: "Requests that the gateway refused itself: too much in progress, over a limit, an event loop that is too late, or a wrong credential.",
    labels: { reason: ["overload", "rate_limit", "event_loop", "auth"] },
    processes: ["gateway"],
  },
  muster_streams_open: {
    type: "gauge",
    help: "Streams that are open: responses of the gateway, and executions that run in the sessions service.",
    labels: { service: ["gateway", "sessions"] },
    processes: ["gateway", "sessions"],
  },
  muster_first_delta_seconds: {
    type: "histogram",
    help: "Time from the headers of a request to the first text, reasoning or tool input of its stream.",
    labels: {},
    processes: ["gateway"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 80],
  },
  muster_stream_outcomes_total: {
    type: "counter",
    help: "How streams ended: their finish reason, `error`, `client_left`, or `cut` if the gateway closed the connection.",
    labels: {
      outcome: [
        "stop",
        "tool-calls",
        "client-tool-calls",
        "length",
        "content-filter",
        "other",
        "error",
        "client_left",
        "cut",
      ],
    },
    processes: ["gateway"],
  },
  muster_rpc_requests_total: {
    type: "counter",
    help: "Calls that a service has served, also calls between services of one process.",
    labels: { service: "bounded", method: "bounded", code: "bounded" },
    processes: services,
  },
  muster_rpc_request_duration_seconds: {
    type: "histogram",
    help: "Duration of served unary calls.",
    labels: { service: "bounded", method: "bounded" },
    processes: services,
    buckets: latencyBuckets,
  },
  muster_store_operation_duration_seconds: {
    type: "histogram",
    help: "Duration of the document store's operations, waits for a connection and repetitions included; `operation` is the method of MongoDB's driver, and each batch that a cursor fetches counts.",
    labels: { operation: "bounded" },
    processes: withStore,
    buckets: latencyBuckets,
  },
  muster_store_errors_total: {
    type: "counter",
    help: "Operations that failed and heartbeats that the document store missed; refused duplicates do not count.",
    labels: { kind: ["timeout", "network", "other"] },
    processes: withStore,
  },
  muster_storage_full: {
    type: "gauge",
    help: "1 if writes fail because the disk of the document store, of uploaded files or of recordings is full, else 0; reads and deletions work.",
    labels: { storage: ["store", "files", "recordings"] },
    processes: everywhere,
    combine: "max",
  },
  muster_computers_connected: {
    type: "gauge",
    help: "Computers that have dialled in and are connected to this process.",
    labels: {},
    processes: ["workforce"],
  },
  muster_queue_depth: {
    type: "gauge",
    help: "What waits: operations for a connection to the document store, definitions for a thread that checks them, model calls for memory for their files, images to be scaled down, commands of agents for a place in a sandbox, reads of sessions for their turn, turns with long responses to be stored, calls of MCP servers and HTTP tools for their turn, agents with work for a process, runs that have ended for a recorder, webhooks with events for a process, deliveries of hooks for a process, schedules that are due; the last five are the same on all workforce processes.",
    labels: {
      queue: [
        "store_connections",
        "definitions",
        "model_files",
        "images",
        "commands",
        "session_reads",
        "turn_ends",
        "remote_calls",
        "run_slots",
        "recordings",
        "webhooks",
        "hooks",
        "schedules",
      ],
    },
    processes: withStore,
  },
  muster_queue_age_seconds: {
    type: "gauge",
    help: "How long the first in a queue of the process has been waiting, 0 if nothing waits.",
    labels: {
      queue: [
        "definitions",
        "model_files",
        "images",
        "commands",
        "session_reads",
        "turn_ends",
        "remote_calls",
      ],
    },
    processes: ["agents", "sessions", "workforce"],
  },
  muster_outbox_age_seconds: {
    type: "gauge",
    help: "Age of the oldest event that is not published yet, 0 if there is none; missing while the document store does not respond.",
    labels: {
      outbox: [
        ...["keys", "tokens", "provider_keys", "identity_providers", "tool_secrets", "mcp_servers"],
        ...["approvals", "sessions", "limits", "threads", "recordings", "schedules"],
      ],
    },
    processes: ["auth", "sessions", "workforce"],
  },
  muster_event_lag_seconds: {
    type: "histogram",
    help: "Time from the publication of an event to the start of its handling.",
    labels: { subject: "bounded" },
    processes: ["gateway", "sessions", "workforce", "recorder"],
    buckets: [...latencyBuckets, 30, 60],
  },
  muster_lease_takeovers_total: {
    type: "counter",
    help: "Leases taken from a process that has died or could not renew them: of a session's turn, of an agent's run, of a recording.",
    labels: { kind: ["session", "run", "recording"] },
    processes: ["sessions", "workforce"],
  },
  muster_turns_total: {
    type: "counter",
    help: "Executions that have ended, also of workers and runs: by their finish reason, by `error`, or by what stopped them.",
    labels: {
      outcome: [
        "stop",
        "tool-calls",
        "client-tool-calls",
        "length",
        "content-filter",
        "other",
        "error",
        "disconnected",
        "cancelled",
        "cleared",
        "lost",
        "store-down",
        "storage-full",
        "too-large",
        "handed-over",
        "stopping",
        "adopted-too-often",
        "spending-limit",
        "usage-limit",
      ],
    },
    processes: ["sessions"],
  },
  muster_runs_total: {
    type: "counter",
    help: "Work of threads that has ended, by the final status of the thread.",
    labels: { outcome: ["completed", "failed", "blocked", "cancelled"] },
    processes: ["workforce"],
  },
  muster_recordings_total: {
    type: "counter",
    help: "Recordings that became ready or failed, or were deleted.",
    labels: { outcome: ["ready", "failed", "deleted"] },
    processes: ["workforce"],
  },
  muster_model_requests_total: {
    type: "counter",
    help: "Model calls that have ended: `ok`, `aborted` when the rest was not wanted, `unused` when the session for which the call was made could not be stored, or the type of the error. `model` is a name of the catalogue, `local/*` or `other`.",
    labels: { model: "bounded", outcome: "bounded" },
    processes: ["sessions"],
  },
  muster_model_first_part_seconds: {
    type: "histogram",
    help: "Time from a model call to the first part of its response.",
    labels: { provider: "bounded" },
    processes: ["sessions"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 80],
  },
  muster_model_tokens_total: {
    type: "counter",
    help: "Tokens of model calls as their providers count them; `cached_input` is a part of `input`.",
    labels: { model: "bounded", direction: ["input", "output", "cached_input"] },
    processes: ["sessions"],
  },
  muster_model_cost_usd_total: {
    type: "counter",
    help: "Cost of model calls in US dollars at list prices, with the platform's fee, also of calls with a project's own key.",
    labels: { model: "bounded" },
    processes: ["sessions"],
  },
  muster_remote_call_duration_seconds: {
    type: "histogram",
    help: "Duration of calls of MCP servers and HTTP tools, without their wait for others: `error` if the tool or the server refused or could not be reached, `unknown` if the call was sent and not answered, `cancelled` if its turn ended meanwhile.",
    labels: { kind: ["mcp", "http"], outcome: ["ok", "error", "unknown", "cancelled"] },
    processes: ["sessions"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
  muster_hook_deliveries_total: {
    type: "counter",
    help: "Deliveries of hooks that have ended: `dispatched` to a thread, `filtered`, or `failed`.",
    labels: { outcome: ["dispatched", "filtered", "failed"] },
    processes: ["workforce"],
  },
  muster_webhook_attempt_duration_seconds: {
    type: "histogram",
    help: "Duration of attempts to send an event to a webhook: `accepted` with a status of 2xx, `gone` with 410, else `refused`.",
    labels: { outcome: ["accepted", "refused", "gone"] },
    processes: ["workforce"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  muster_schedule_lateness_seconds: {
    type: "histogram",
    help: "How late the threads of schedules were started, from the time that was due.",
    labels: {},
    processes: ["workforce"],
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
  },
  muster_audit_entries_total: {
    type: "counter",
    help: "Entries that were appended to the audit log, repetitions included.",
    labels: {},
    processes: ["workforce"],
  },
  muster_audit_pending: {
    type: "gauge",
    help: "Entries of the audit log that waited in the documents of changed things when the process that appends them last checked, up to 500 documents of each kind.",
    labels: {},
    processes: ["workforce"],
  },
  muster_audit_lag_seconds: {
    type: "gauge",
    help: "For how long changes may have been missing from the audit log: up to 10 s between two checks, more if a service or the document store does not respond; 0 on processes that do not append.",
    labels: {},
    processes: ["workforce"],
  },
  muster_event_loop_delay_seconds: {
    type: "gauge",
    help: "How late the event loop was since the last scrape, as quantiles.",
    labels: { quantile: ["0.5", "0.99"] },
    processes: everywhere,
  },
} as const satisfies Record<string, Definition>;

type Definitions = typeof definitions;
export type MetricName = keyof Definitions;
export type MetricType = Definition["type"];
type NamesOf<Type extends MetricType> = {
  [Name in MetricName]: Definitions[Name]["type"] extends Type ? Name : never;
}[MetricName];
export type CounterName = NamesOf<"counter">;
export type GaugeName = NamesOf<"gauge">;
export type HistogramName = NamesOf<"histogram">;

/** The labels of a metric, each with the values that it may have. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof Definitions[Name]["labels"]]: Definitions[Name]["labels"][Label] extends readonly (infer Value extends
    string)[]
    ? Value
    : string;
};

/** The definition of a metric without its exact type. */
export function definitionOf(name: MetricName): Definition {
  return definitions[name];
}

export const metricNames: readonly MetricName[] = Object.keys(definitions).filter(isMetricName);

function isMetricName(text: string): text is MetricName {
  return Object.hasOwn(definitions, text);
}

export const isCounter = (name: MetricName): name is CounterName => definitions[name].type === "counter";
export const isGauge = (name: MetricName): name is GaugeName => definitions[name].type === "gauge";
export const isHistogram = (name: MetricName): name is HistogramName =>
  definitions[name].type === "histogram";
