import { median, percentile } from "../stream/statistics.ts";

export interface Effort {
  rounds: number;
  runsPerRound: number;
}

/** In milliseconds. */
export interface Timing {
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
  const samples = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of entries) {
      for (let run = 0; run < runsPerRound; run++) {
        const startMs = performance.now();
        task();
        if (round > 0) samples.get(name)?.push(performance.now() - startMs);
      }
    }
  }
  const timings = entries.map(([name]) => [name, summary(samples.get(name) ?? [])]);
  // Every name of `tasks` has just been given its timing.
  return Object.fromEntries(timings) as Record<Name, Timing>;
}

export function summary(samples: readonly number[]): Timing {
  return { median: median(samples), p95: percentile(samples, 0.95) };
}
