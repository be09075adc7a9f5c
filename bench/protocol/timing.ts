import { median, percentile } from "../stream/statistics.ts";

export interface Effort {
  rounds: number;
  runsPerRound: number;
}

/** In milliseconds. */
export interface Timing {
  /** CPU time of a run, by round. The system counts it in steps of several milliseconds, so a round has many runs. */
  cpuByRound: readonly number[];
  /** The minimum over all rounds: other work on the machine slows a round down and never speeds it up. */
  cpu: number;
  /** The 95th percentile of all wall times. */
  p95: number;
}

/** The distribution of wall times, in milliseconds. */
export interface Distribution {
  median: number;
  p95: number;
}

export function distributionOf(samplesMs: readonly number[]): Distribution {
  return { median: median(samplesMs), p95: percentile(samplesMs, 0.95) };
}

/**
 * Runs all tasks in turns, so that other work on the machine affects all of them equally. The first round is a
 * warm-up and is not counted.
 */
export function timeSideBySide<Name extends string>(
  tasks: Record<Name, () => unknown>,
  { rounds, runsPerRound }: Effort,
): Record<Name, Timing> {
  const entries = Object.entries<() => unknown>(tasks);
  const samples = new Map(entries.map(([name]): [string, RoundSample[]] => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of entries) {
      const sample = timeRound(task, runsPerRound);
      if (round > 0) samples.get(name)?.push(sample);
    }
  }
  const timings = entries.map(([name]) => [name, timingOf(samples.get(name) ?? [])]);
  // Every name in `tasks` has just received its timing.
  return Object.fromEntries(timings) as Record<Name, Timing>;
}

interface RoundSample {
  readonly cpuMs: number;
  readonly wallMs: readonly number[];
}

function timeRound(task: () => unknown, count: number): RoundSample {
  const before = process.threadCpuUsage();
  const wallMs = Array.from({ length: count }, () => {
    const startMs = performance.now();
    task();
    return performance.now() - startMs;
  });
  return { cpuMs: milliseconds(process.threadCpuUsage(before)) / count, wallMs };
}

function timingOf(samples: readonly RoundSample[]): Timing {
  const cpuByRound = samples.map(({ cpuMs }) => cpuMs);
  const wallMs = samples.flatMap((sample) => sample.wallMs);
  return { cpuByRound, cpu: Math.min(...cpuByRound), p95: percentile(wallMs, 0.95) };
}

/** How many times longer one task took than another in the same round; the median of all rounds. */
export function ratioOf(task: Timing, yardstick: Timing): number {
  return median(task.cpuByRound.map((ms, round) => ms / (yardstick.cpuByRound[round] ?? Number.NaN)));
}

/** CPU time of the whole process, with all its threads, until `run` has ended, in milliseconds. */
export async function cpuMsOf(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  return milliseconds(process.cpuUsage(before));
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
