import type { Cpu, Server } from "./server.ts";

export interface Load {
  perS: number;
  /** The time of each request. */
  tookMs: number[];
  /** Of the server, for each request. */
  each: Cpu;
}

/** So many callers, each of which sends its next request when the previous one has ended. */
export async function load(
  server: Server,
  { callers, count }: { callers: number; count: number },
  act: (index: number) => Promise<void>,
): Promise<Load> {
  const tookMs: number[] = [];
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const startMs = performance.now();
      await act(next++);
      tookMs.push(performance.now() - startMs);
    }
  };
  const before = await server.cpu();
  const startMs = performance.now();
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
