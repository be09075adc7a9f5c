/** CPU time of a run in each round, in milliseconds. The system counts it in larger steps, so a round has many runs. */
export type Timing = readonly number[];

/** The least disturbed round: other work on the machine slows a round down and never speeds it up. */
export function leastOf(timing: Timing): number {
  return Math.min(...timing);
}

/**
 * Runs all tasks in turns, so that other work on the machine affects all of them equally. The first round is a
 * warm-up and is not counted.
 */
export function timeSideBySide<Name extends string>(
  tasks: Record<Name, () => unknown>,
  rounds: number,
  runsPerRound: number,
): (name: Name) => Timing {
  const timings = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of Object.entries<() => unknown>(tasks)) {
      const before = process.threadCpuUsage();
      for (let run = 0; run < runsPerRound; run++) task();
      const cpuMs = milliseconds(process.threadCpuUsage(before)) / runsPerRound;
      timings.set(name, round === 0 ? [] : [...(timings.get(name) ?? []), cpuMs]);
    }
  }
  return (name) => timings.get(name) ?? [];
}

export function timed<T>(run: () => T): { tookMs: number; result: T } {
  const startMs = performance.now();
  const result = run();
  return { tookMs: performance.now() - startMs, result };
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
