import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import {
  type CounterName,
  definitionOf,
  type GaugeName,
  type HistogramName,
  isCounter,
  isGauge,
  isHistogram,
  type LabelValues,
  type MetricName,
  metricNames,
  type ProcessName,
} from "./definitions.ts";
import { everyMs } from "./event-loop.ts";
import { Gauges, type Reading } from "./gauges.ts";
import type { Metrics } from "./metrics.ts";

type Labels = Readonly<Record<string, string>>;

export interface RegistryOptions {
  /** `local` has the metrics of all processes. */
  process: ProcessName | "local";
  /** With Node's own metrics, `process_*` and `nodejs_*`. Default: true. */
  hasDefaults?: boolean;
}

/** The metrics of one process. A process may have several registries, which share nothing. */
export class MetricsRegistry implements Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<CounterName, Counter>();
  readonly #histograms = new Map<HistogramName, Histogram>();
  readonly #instruments = new Map<GaugeName, Gauge>();
  readonly #gauges = new Gauges();
  #rendering: Promise<string> | undefined;

  constructor({ process, hasDefaults = true }: RegistryOptions) {
    for (const name of metricNames) {
      const { processes } = definitionOf(name);
      if (process === "local" || processes.includes(process)) this.#create(name);
    }
    if (hasDefaults)
      collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: everyMs });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  count(name: CounterName, labels: Labels, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  observe(name: HistogramName, labels: Labels, value: number): void {
    this.#histograms.get(name)?.observe(labels, value);
  }

  gauge(
    name: GaugeName,
    labels: Labels,
    read: () => number | undefined | Promise<number | undefined>,
  ): () => void {
    return this.#gauges.add(name, labels, read);
  }

  /** The exposition. Scrapes at the same time share one; it takes little more than two seconds, whatever hangs. */
  render(): Promise<string> {
    this.#rendering ??= this.#render().finally(() => {
      this.#rendering = undefined;
    });
    return this.#rendering;
  }

  async #render(): Promise<string> {
    const readings = await this.#gauges.read();
    for (const gauge of this.#instruments.values()) gauge.reset();
    for (const [name, ofName] of Map.groupBy(readings, ({ name }) => name)) this.#set(name, ofName);
    return await this.#registry.metrics();
  }

  #set(name: GaugeName, readings: readonly Reading[]): void {
    const { combine } = definitionOf(name);
    for (const series of Map.groupBy(readings, ({ labels }) => JSON.stringify(labels)).values()) {
      const values = series.map(({ value }) => value);
      const value = combined[combine ?? "sum"](values);
      if (value !== undefined) this.#instruments.get(name)?.set(series[0]?.labels ?? {}, value);
    }
  }

  #create(name: MetricName): void {
    const { help, labels, buckets } = definitionOf(name);
    const options = { name, help, labelNames: Object.keys(labels), registers: [this.#registry] };
    if (isGauge(name)) this.#instruments.set(name, new Gauge(options));
    else if (isCounter(name)) {
      const counter = new Counter(options);
      // From the start: Prometheus does not see the step from a missing series to 1.
      for (const series of combinations(labels)) counter.inc(series, 0);
      this.#counters.set(name, counter);
    } else if (isHistogram(name)) {
      const histogram = new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) });
      for (const series of combinations(labels)) histogram.zero(series);
      this.#histograms.set(name, histogram);
    }
  }
}

type Values = ReadonlyArray<number | undefined>;

const combined = { min: smallest, max: largest, sum: sumOf };

function largest(values: Values): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** A part that does not respond is not ready. */
function smallest(values: Values): number {
  return Math.min(...values.map((value) => value ?? 0));
}

/** Undefined if one is missing: a part of a sum would be wrong. */
function sumOf(values: Values): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}

/** All series of a metric, if every label has a list of values; else none. */
function combinations(labels: Readonly<Record<string, LabelValues>>): Array<Record<string, string>> {
  let found: Array<Record<string, string>> = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (values === "bounded") return [];
    found = found.flatMap((series) => values.map((value) => ({ ...series, [label]: value })));
  }
  return found;
}
