import { setTimeout as sleep } from "node:timers/promises";
import { ms, percentile } from "../support/figures.ts";
import type { Server } from "../support/server.ts";

export const callers = 32;

export interface Load {
  perS: number;
  p50Ms: number;
  p95Ms: number;
  /** The server's CPU time for each request: of the main thread, which serves all of them, and of all threads. */
  mainMs: number;
  cpuMs: number;
}

interface Amount {
  count: number;
  callers?: number;
  perS?: number;
}

/**
 * So many callers, each of which sends its next request when the previous one has ended; with `perS`, not before its time
 * has arrived. A request that is late because of others counts from that time.
 */
export async function load(
  server: Server,
  { count, callers: number = callers, perS: pace }: Amount,
  act: (index: number) => Promise<unknown>,
): Promise<Load> {
  const tookMs: number[] = [];
  let next = 0;
  const before = await server.ask("cpu");
  const startMs = performance.now();
  const caller = async () => {
    while (next < count) {
      const index = next++;
      const dueMs = pace === undefined ? performance.now() : startMs + (index / pace) * 1_000;
      const earlyMs = dueMs - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      await act(index);
      tookMs.push(performance.now() - dueMs);
    }
  };
  await Promise.all(Array.from({ length: number }, caller));
  const perS = (count / (performance.now() - startMs)) * 1_000;
  const after = await server.ask("cpu");
  const each = (what: string) => ((after[what] ?? 0) - (before[what] ?? 0)) / count;
  const [p50Ms, p95Ms] = [percentile(tookMs, 0.5), percentile(tookMs, 0.95)];
  return { perS, p50Ms, p95Ms, mainMs: each("mainMs"), cpuMs: each("cpuMs") };
}

/** CPU time does not depend on what else the machine does, unlike the clock. */
export function costOf({ mainMs, cpuMs }: Load): string {
  return `${ms(mainMs)} of the main thread each, ${ms(cpuMs)} of all threads`;
}
