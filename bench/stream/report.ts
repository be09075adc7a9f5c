import { idealPacedMs, type Samples } from "./measure.ts";
import { median, percentile } from "./statistics.ts";
import type { TargetName } from "./target.ts";

/** One line of the table. */
export interface Row {
  metric: string;
  unit: string;
  values: Partial<Record<TargetName, number>>;
  /** Muster's target, and whether it is met. Absent for rows that only inform. */
  target?: { text: string; reached: boolean };
}

type AllSamples = Partial<Record<TargetName, Samples>>;
type Verdict = { text: string; reached: boolean };
/** Undefined if the run lacks the target to compare with. */
type Judge = (muster: number, all: AllSamples) => Verdict | undefined;

const concurrencies = [1, 32, 200];

/** The lines of which something was measured. */
export function makeRows(all: AllSamples): Row[] {
  return everyRow(all).filter(({ values }) => Object.values(values).some((value) => !Number.isNaN(value)));
}

function everyRow(all: AllSamples): Row[] {
  const row = (metric: string, unit: string, read: (samples: Samples) => number, judge?: Judge): Row => {
    const values = Object.fromEntries(
      Object.entries(all).map(([name, samples]) => [name, read(samples)]),
    ) as Row["values"];
    const { muster } = values;
    const judged = judge && muster !== undefined ? judge(muster, all) : undefined;
    return { metric, unit, values, ...(judged && { target: judged }) };
  };
  const rate = (concurrency: number) => (samples: Samples) =>
    median(samples.streamsPerSecond[concurrency] ?? []);
  const ideal = idealPacedMs();
  return [
    row("first delta, 1 client, median", "ms", (s) => median(s.firstDeltaMs)),
    row("first delta, 1 client, p95", "ms", (s) => percentile(s.firstDeltaMs, 0.95)),
    row("whole stream, 1 client, median", "ms", (s) => median(s.totalMs)),
    ...concurrencies.map((n) =>
      row(`streams/s, ${n} concurrent`, "/s", rate(n), n === 32 ? fasterThan(1.8, "bare") : undefined),
    ),
    row("streams/s, 32 concurrent, cost of the log", "/s", rate(32), fasterThan(0.85, "unlogged")),
    row("server CPU per stream, 32 concurrent", "ms", (s) => median(s.cpuMsPerStream)),
    row("200 paced streams, p50", "ms", (s) => median(s.pacedSpreadMs)),
    row(
      "200 paced streams, p95",
      "ms",
      (s) => percentile(s.pacedSpreadMs, 0.95),
      (muster, { bare }) =>
        bare && {
          text: "1.1 x bare's p50",
          reached: muster <= median(bare.pacedSpreadMs) * 1.1,
        },
    ),
    row(
      "200 paced, all start at once, p50",
      "ms",
      (s) => median(s.pacedAtOnceMs),
      atMost(ideal * 1.05, "1.05 x ideal"),
    ),
    row(
      "200 paced, all start at once, p95",
      "ms",
      (s) => percentile(s.pacedAtOnceMs, 0.95),
      atMost(ideal * 1.12, "1.12 x ideal"),
    ),
    row("500 streams of 10 deltas/s, lateness p50", "ms", (s) => median(s.heldLateMs)),
    row(
      "500 streams of 10 deltas/s, lateness p99",
      "ms",
      (s) => percentile(s.heldLateMs, 0.99),
      atMost(100, "100 ms"),
    ),
    row("500 streams start within 2 s, lateness p99 meanwhile", "ms", (s) =>
      percentile(s.openingLateMs, 0.99),
    ),
    row("memory per open stream", "KB", (s) => median(s.memoryBytesPerStream) / 1000, atMost(250, "250 KB")),
    row(
      "cold start to first response",
      "ms",
      (s) => median(s.coldStartMs),
      (muster, { bare }) => ({
        text: "1,200 ms, or 3 x bare",
        reached: muster <= Math.max(1200, median(bare?.coldStartMs ?? [0]) * 3),
      }),
    ),
  ];
}

function atMost(limit: number, text: string): Judge {
  return (muster) => ({ text, reached: muster <= limit });
}

/** By the median of the rounds' ratios: other work on the machine affects both sides of a round. */
function fasterThan(least: number, name: TargetName): Judge {
  return (_, { muster, [name]: other }) => {
    const rates = muster?.streamsPerSecond[32] ?? [];
    const others = other?.streamsPerSecond[32];
    if (others === undefined) return undefined;
    const ratio = median(rates.map((rate, round) => rate / (others[round] ?? Number.NaN)));
    return { text: `${least} x ${name} (is ${ratio.toFixed(2)})`, reached: ratio >= least };
  };
}

/** The rows as an aligned table. */
export function formatTable(rows: Row[], names: readonly TargetName[]): string {
  const all = cellsOf(rows, names);
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0))) ?? [];
  return all
    .map((cells) =>
      cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
    )
    .map((cells) => cells.join("  ").trimEnd())
    .join("\n");
}

/** The rows as a table in Markdown, for documents. */
export function formatMarkdown(rows: Row[], names: readonly TargetName[]): string {
  const [header = [], ...lines] = cellsOf(rows, names).map((cells) => `| ${cells.join(" | ")} |`);
  return [header, `|${"---|".repeat(2 * names.length + 2)}`, ...lines].join("\n");
}

/** A line of headings, then one for each row. */
function cellsOf(rows: Row[], names: readonly TargetName[]): string[][] {
  const others = names.slice(0, -1);
  const header = ["", ...names, ...others.map((name) => `muster / ${name}`), "to reach", ""];
  const lines = rows.map(({ metric, unit, values, target }) => [
    `${metric} (${unit})`,
    ...names.map((name) => formatNumber(values[name])),
    ...others.map((name) => formatRatio(values.muster, values[name])),
    target?.text ?? "",
    target === undefined ? "" : target.reached ? "pass" : "FAIL",
  ]);
  return [header, ...lines];
}

function formatRatio(muster: number | undefined, other: number | undefined): string {
  if (muster === undefined || other === undefined || other === 0) return "";
  const ratio = muster / other;
  return Number.isNaN(ratio) ? "" : ratio.toFixed(ratio < 0.1 ? 3 : 2);
}

function formatNumber(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}
