import { median, medianRatio, percentile, print } from "../support/figures.ts";
import type { Samples } from "./measure.ts";
import { idealPacedMs } from "./pace.ts";
import type { TargetName } from "./targets.ts";

type AllSamples = Partial<Record<TargetName, Samples>>;
/** Undefined if the run lacks the target to compare with. */
type Judge = (muster: number, all: AllSamples) => { text: string; isReached: boolean } | undefined;
type Line = [name: string, read: (samples: Samples) => number, judge?: Judge];

/** Prints a line for everything of which something was measured. */
export function report(all: AllSamples, names: readonly TargetName[]): void {
  print({ name: "", values: [...names, ...(names.includes("bare") ? ["muster/bare"] : [])] });
  for (const [name, read, judge] of lines) {
    const values = names
      .map((target) => all[target])
      .map((samples) => (samples ? read(samples) : Number.NaN));
    if (values.every(Number.isNaN)) continue;
    const muster = all.muster ? read(all.muster) : Number.NaN;
    const ratio = all.bare ? [muster / read(all.bare)] : [];
    const verdict = all.muster && judge?.(muster, all);
    print({ name, values: [...values, ...ratio], note: verdict?.text ?? "", isReached: verdict?.isReached });
  }
}

const p95 = (values: readonly number[]) => percentile(values, 0.95);
const p99 = (values: readonly number[]) => percentile(values, 0.99);
const rate = (clients: number) => (samples: Samples) => median(samples.perSecond[clients] ?? []);

const lines: readonly Line[] = [
  ["first delta, 1 client, median (ms)", (s) => median(s.firstDeltaMs)],
  ["first delta, 1 client, p95 (ms)", (s) => p95(s.firstDeltaMs)],
  ["whole stream, 1 client, median (ms)", (s) => median(s.totalMs)],
  ["streams/s, 1 concurrent", rate(1)],
  ["streams/s, 32 concurrent", rate(32), fasterThan(1.8, "bare")],
  ["streams/s, 200 concurrent", rate(200)],
  ["streams/s, 32 concurrent, cost of the log", rate(32), fasterThan(0.85, "unlogged")],
  ["server CPU per stream, 32 concurrent (ms)", (s) => median(s.cpuMsPerStream)],
  ["200 paced streams, p50 (ms)", (s) => median(s.pacedSpreadMs)],
  [
    "200 paced streams, p95 (ms)",
    (s) => p95(s.pacedSpreadMs),
    (muster, { bare }) => bare && atMost(median(bare.pacedSpreadMs) * 1.1, "1.1 x bare's p50")(muster),
  ],
  [
    "200 paced, at once, p50 (ms)",
    (s) => median(s.pacedAtOnceMs),
    atMost(idealPacedMs * 1.05, "1.05 x ideal"),
  ],
  ["200 paced, at once, p95 (ms)", (s) => p95(s.pacedAtOnceMs), atMost(idealPacedMs * 1.12, "1.12 x ideal")],
  ["500 streams of 10 deltas/s, lateness p50 (ms)", (s) => median(s.heldLateMs)],
  ["500 streams of 10 deltas/s, lateness p99 (ms)", (s) => p99(s.heldLateMs), atMost(100, "100 ms")],
  ["500 streams start within 2 s, lateness p99 (ms)", (s) => p99(s.openingLateMs)],
  ["memory per open stream (KB)", (s) => median(s.memoryBytesPerStream) / 1000, atMost(250, "250 KB")],
  [
    "cold start to first response (ms)",
    (s) => median(s.coldStartMs),
    (muster, { bare }) =>
      atMost(Math.max(1200, 3 * median(bare?.coldStartMs ?? [0])), "1,200 ms, or 3 x bare")(muster),
  ],
];

function atMost(limit: number, text: string) {
  return (muster: number) => ({ text, isReached: muster <= limit });
}

function fasterThan(least: number, name: TargetName): Judge {
  return (_, { muster, [name]: other }) => {
    const rates = other?.perSecond[32];
    if (rates === undefined) return undefined;
    const ratio = medianRatio(muster?.perSecond[32] ?? [], rates);
    return { text: `${least} x ${name} (is ${ratio.toFixed(2)})`, isReached: ratio >= least };
  };
}
