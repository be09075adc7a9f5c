import { idealPacedMs, type Samples } from "./measure.ts";
import { chunksPerStream } from "./script.ts";
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
type Judge = (muster: number, proxy: number) => { text: string; reached: boolean };

const concurrencies = [1, 32, 200];

export function makeRows(all: AllSamples): Row[] {
  const row = (metric: string, unit: string, read: (samples: Samples) => number, judge?: Judge): Row => {
    const values = Object.fromEntries(
      Object.entries(all).map(([name, samples]) => [name, read(samples)]),
    ) as Row["values"];
    const { muster, proxy } = values;
    const judged = judge && muster !== undefined && proxy !== undefined ? judge(muster, proxy) : undefined;
    return { metric, unit, values, ...(judged && { target: judged }) };
  };
  const rate = (concurrency: number) => (samples: Samples) =>
    median(samples.streamsPerSecond[concurrency] ?? []);
  const ideal = idealPacedMs();
  const atMost =
    (limit: number, text: string): Judge =>
    (muster) => ({ text, reached: muster <= limit });

  return [
    row(
      "first delta, 1 client, median",
      "ms",
      (s) => median(s.firstDeltaMs),
      (muster, proxy) => ({
        text: "proxy + 6 ms",
        reached: muster - proxy <= 6,
      }),
    ),
    row("first delta, 1 client, p95", "ms", (s) => percentile(s.firstDeltaMs, 0.95)),
    row("whole stream, 1 client, median", "ms", (s) => median(s.totalMs)),
    ...concurrencies.flatMap((n) => [
      row(`streams/s, ${n} concurrent`, "/s", rate(n), n === 32 ? ratioAtLeast(0.034) : undefined),
      row(`deltas/s, ${n} concurrent`, "/s", (s) => rate(n)(s) * chunksPerStream),
    ]),
    row("server CPU per stream, 32 concurrent", "ms", (s) => median(s.cpuMsPerStream)),
    row("200 paced streams, p50", "ms", (s) => median(s.pacedSpreadMs), atMost(ideal * 1.03, "1.03 x ideal")),
    row(
      "200 paced streams, p95",
      "ms",
      (s) => percentile(s.pacedSpreadMs, 0.95),
      atMost(ideal * 1.15, "1.15 x ideal"),
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
    row("memory per open stream", "KB", (s) => median(s.memoryBytesPerStream) / 1000, atMost(250, "250 KB")),
    row("cold start to first response", "ms", (s) => median(s.coldStartMs), atMost(2000, "2,000 ms")),
  ];
}

function ratioAtLeast(least: number): Judge {
  return (muster, proxy) => ({ text: `${least} x proxy`, reached: muster / proxy >= least });
}

/** The rows as an aligned table. */
export function formatTable(rows: Row[], names: readonly TargetName[]): string {
  const header = ["", ...names, "muster / proxy", "to reach", ""];
  const lines = rows.map(({ metric, unit, values, target }) => {
    const { muster, proxy } = values;
    const ratio =
      muster !== undefined && proxy !== undefined && proxy !== 0 ? (muster / proxy).toFixed(3) : "";
    const verdict = target === undefined ? "" : target.reached ? "pass" : "FAIL";
    return [
      `${metric} (${unit})`,
      ...names.map((name) => formatNumber(values[name])),
      ratio,
      target?.text ?? "",
      verdict,
    ];
  });
  const all = [header, ...lines];
  const widths = header.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  return all
    .map((cells) =>
      cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
    )
    .map((cells) => cells.join("  ").trimEnd())
    .join("\n");
}

function formatNumber(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}
