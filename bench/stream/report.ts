import { format, median, percentile, print } from "../support/figures.ts";
import type { Samples } from "./measure.ts";
import { idealPacedMs } from "./pace.ts";
import type { TargetName } from "./targets.ts";

type Line = [name: string, read: (samples: Samples) => number, most?: number];

/** Prints each figure of a fresh process. */
export function report(all: Partial<Record<TargetName, Samples>>, names: readonly TargetName[]): void {
  print({ name: "", values: [...names] });
  for (const [name, read, most] of lines) {
    const values = names
      .map((target) => all[target])
      .map((samples) => (samples ? read(samples) : Number.NaN));
    const { muster } = all;
    const isReached = most === undefined || muster === undefined ? undefined : read(muster) <= most;
    print({ name, values, note: most === undefined ? "" : `at most ${format(most)}`, isReached });
  }
}

const p95 = (values: readonly number[]) => percentile(values, 0.95);
const p99 = (values: readonly number[]) => percentile(values, 0.99);

const lines: readonly Line[] = [
  ["200 paced streams, p50 (ms)", (s) => median(s.pacedSpreadMs)],
  ["200 paced streams, p95 (ms)", (s) => p95(s.pacedSpreadMs), 1_550],
  ["200 paced, at once, p50 (ms)", (s) => median(s.pacedAtOnceMs), idealPacedMs * 1.05],
  ["200 paced, at once, p95 (ms)", (s) => p95(s.pacedAtOnceMs), idealPacedMs * 1.12],
  ["500 streams of 10 deltas/s, lateness p50 (ms)", (s) => median(s.heldLateMs)],
  ["500 streams of 10 deltas/s, lateness p99 (ms)", (s) => p99(s.heldLateMs), 100],
  ["500 streams start within 2 s, lateness p99 (ms)", (s) => p99(s.openingLateMs)],
  ["memory per open stream (KB)", (s) => median(s.memoryBytesPerStream) / 1000, 300],
  ["first start to first response (ms)", (s) => median(s.firstStartMs), 1_200],
  ["later start to first response (ms)", (s) => median(s.laterStartMs), 700],
  ["resident memory, idle (MB)", (s) => median(s.idleMemoryBytes) / 1e6, 200],
];
