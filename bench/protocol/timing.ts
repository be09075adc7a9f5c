import { percentile } from "../support/figures.ts";

/** Times of a task in milliseconds. */
export interface Timing {
  /** CPU time of a run, by round. The system counts it in steps of several milliseconds, so a round has many runs. */
  cpuByRound: number[];
  /** Wall time of each run. */
  wallMs: number[];
}

/** The least disturbed round: other work on the machine slows a round down and never speeds it up. */
export function cpuOf({ cpuByRound }: Timing): number {
  return Math.min(...cpuByRound);
}

export function p95Of({ wallMs }: Timing): number {
  return percentile(wallMs, 0.95);
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
  const timings = new Map<string, Timing>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, task] of Object.entries<() => unknown>(tasks)) {
      const { cpuByRound, wallMs } = timings.get(name) ?? { cpuByRound: [], wallMs: [] };
      const before = process.threadCpuUsage();
      const samples = Array.from({ length: runsPerRound }, () => timed(task).tookMs);
      const cpuMs = milliseconds(process.threadCpuUsage(before)) / runsPerRound;
      const kept = { cpuByRound: [...cpuByRound, cpuMs], wallMs: [...wallMs, ...samples] };
      timings.set(name, round === 0 ? { cpuByRound: [], wallMs: [] } : kept);
    }
  }
  return (name) => timings.get(name) ?? { cpuByRound: [], wallMs: [] };
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
