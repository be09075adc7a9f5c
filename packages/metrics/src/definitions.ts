/** A process of the product. `npm start` has the metrics of all of them. */
export type ProcessName = "gateway" | "auth" | "agents" | "sessions" | "workforce" | "recorder";

/** The values that a label may have: a list, or text that its writer bounds. */
export type LabelValues = readonly [string, ...string[]] | "bounded";

interface Definition {
  readonly type: "counter" | "gauge" | "histogram";
  /** What is measured, in one sentence; the page docs/metrics.md shows it too. */
  readonly help: string;
  readonly labels: { readonly [label: string]: LabelValues };
  /** The processes that have it. */
  readonly processes: readonly ProcessName[];
  /** Of a histogram: the upper bounds, ascending. */
  readonly buckets?: readonly number[];
  /**
   * Of a gauge that several parts of one process report: how their values become one. `min`: the smallest, and 0 if one is
   * missing. Default: their sum, which is missing if one is.
   */
  readonly combine?: "min";
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
    help: "Duration of the commands to the document store, by MongoDB's name of the command.",
    labels: { operation: "bounded" },
    processes: withStore,
    buckets: latencyBuckets,
  },
  muster_store_errors_total: {
    type: "counter",
    help: "Commands that failed and heartbeats that the document store missed; refused duplicates are none.",
    labels: { kind: ["timeout", "network", "other"] },
    processes: withStore,
  },
  muster_queue_depth: {
    type: "gauge",
    help: "What waits: `store_connections` are operations that wait for a connection to the document store.",
    labels: { queue: ["store_connections"] },
    processes: withStore,
  },
  muster_event_lag_seconds: {
    type: "histogram",
    help: "Time from the publication of an event to the start of its handling.",
    labels: { subject: "bounded" },
    processes: ["gateway", "sessions", "workforce", "recorder"],
    buckets: [...latencyBuckets, 30, 60],
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
