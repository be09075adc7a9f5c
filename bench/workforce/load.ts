import { setTimeout as sleep } from "node:timers/promises";
import type { Cpu, Server } from "./server.ts";

export interface Load {
  perS: number;
  /** The time of each request. */
  tookMs: number[];
  /** Of the server, for each request. */
  each: Cpu;
}

/**
 * So many callers, each of which sends its next request when the previous one has ended; with `perS`, not before its time
 * has come. A request that is late because of others counts from that time.
 */
export async function load(
  server: Server,
  { callers, count, perS: pace }: { callers: number; count: number; perS?: number },
  act: (index: number) => Promise<void>,
): Promise<Load> {
  const tookMs: number[] = [];
  let next = 0;
  const before = await server.cpu();
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
  await Promise.all(Array.from({ length: callers }, caller));
  const perS = (count / (performance.now() - startMs)) * 1_000;
  const after = await server.cpu();
  const each = {
    cpuMs: (after.cpuMs - before.cpuMs) / count,
    mainMs: (after.mainMs - before.mainMs) / count,
  };
  return { perS, tookMs, each };
}

/** CPU time does not depend on what else the machine does, unlike the clock. */
export function costOf({ each: { mainMs, cpuMs } }: Load): string {
  return `${mainMs.toFixed(2)} ms of the main thread each, ${cpuMs.toFixed(2)} ms of all threads`;
}
