import { median, percentile } from "../stream/statistics.ts";

export interface Effort {
  rounds: number;
  runsPerRound: number;
}

/** In milliseconds, of CPU time where `timeSideBySide` or `cpuMs` measured it. */
export interface Timing {
  /** The median of the round that was disturbed least: other work on the machine makes it slower, never faster. */
  quiet: number;
  /** Of all rounds. */
  median: number;
  p95: number;
}

/**
 * Runs all tasks in turns, so that whatever else the machine does hits all alike. The first round warms up and
 * counts nothing.
 */
export function timeSideBySide<Name extends string>(
  tasks: Record<Name, () => unknown>,
  { rounds, runsPerRound }: Effort,
): Record<Name, Timing> {
  const entries = Object.entries<() => unknown>(tasks);
  const samples = new Map<string, number[][]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of entries) {
      const timesMs = timeRuns(task, runsPerRound);
      if (round > 0) samples.get(name)?.push(timesMs);
    }
  }
  const timings = entries.map(([name]) => [name, summary(samples.get(name) ?? [])]);
  // Every name of `tasks` has just been given its timing.
  return Object.fromEntries(timings) as Record<Name, Timing>;
}

function timeRuns(task: () => unknown, count: number): number[] {
  return Array.from({ length: count }, () => {
    const before = process.threadCpuUsage();
    task();
    return milliseconds(process.threadCpuUsage(before));
  });
}

/** CPU time of the whole process, with all its threads, until something is done. */
export async function cpuMs(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  return milliseconds(process.cpuUsage(before));
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

/** Of the samples of each round. */
export function summary(rounds: readonly number[][]): Timing {
  const all = rounds.flat();
  return { quiet: Math.min(...rounds.map(median)), median: median(all), p95: percentile(all, 0.95) };
}
