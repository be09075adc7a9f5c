import { setTimeout as sleep } from "node:timers/promises";
import { ms, percentile, print } from "../../support/figures.ts";
import type { Server } from "../../support/server.ts";
import { Callers, type Running, type Site } from "../site.ts";

const callers = 500;
const waitSeconds = 25;
const maxShare = 0.05;
const maxLateMs = 200;

/** Callers in `?wait=25`, over and over, spread over threads that do not change; then each of these changes once. */
export async function waiting(site: Site, threads: readonly Running[]): Promise<void> {
  const { server } = site;
  const idle = await shareOfCore(server);
  const crowd = await gatherCrowd(site, threads);
  try {
    const waited = await shareOfCore(server);
    const lateMs: number[] = [];
    const before = await server.ask("cpu");
    for (const thread of threads) lateMs.push(...(await crowd.hear(thread)));
    const mainMs = (Number((await server.ask("cpu")).mainMs) - Number(before.mainMs)) / threads.length;
    const [p50, p95, longest] = [percentile(lateMs, 0.5), percentile(lateMs, 0.95), Math.max(...lateMs)];
    const share = (value: number) => `${(value * 100).toFixed(1)} %`;
    print({
      name: `${callers} callers in ?wait=${waitSeconds}`,
      values: [share(waited - idle)],
      note: `under ${share(maxShare)} of a core (${share(waited)} with them, ${share(idle)} without)`,
      isReached: waited - idle < maxShare,
    });
    print({
      name: `  the ${callers / threads.length} callers of one thread hear of its change, longest`,
      values: [ms(longest)],
      note: `under ${maxLateMs} ms after it was asked for (p50 ${ms(p50)}, p95 ${ms(p95)}; ${ms(mainMs)} of the main thread for each change)`,
      isReached: longest < maxLateMs,
    });
  } finally {
    await crowd.leave();
  }
}

/** The sum over all threads of the process, for one round of waiting. */
async function shareOfCore(server: Server): Promise<number> {
  const before = await server.ask("cpu");
  const startMs = performance.now();
  await sleep(waitSeconds * 1_000);
  return (Number((await server.ask("cpu")).cpuMs) - Number(before.cpuMs)) / (performance.now() - startMs);
}

/**
 * Callers who each ask again when their response has arrived. They begin evenly over the time of one wait, as independent
 * callers do.
 */
async function gatherCrowd(site: Site, threads: readonly Running[]) {
  const crowd = new Callers(site.server.url, site.home.key, callers);
  const loops: Array<Promise<void>> = [];
  let hasLeft = false;
  let asking = 0;
  /** Called with the id of a thread whenever a caller hears of a change. */
  let heard: (threadId: string) => void = () => undefined;
  const wait = async ({ agent, threadId }: Running): Promise<void> => {
    let { etag } = await crowd.read(agent, threadId);
    asking += 1;
    while (!hasLeft) {
      const reply = await crowd.read(agent, threadId, { etag, wait: waitSeconds }).catch((error: unknown) => {
        if (!hasLeft) throw error;
      });
      if (reply === undefined) return;
      if (reply.status !== 200 && reply.status !== 304)
        throw new Error(`A caller that waits got ${reply.status}`);
      etag = reply.etag;
      if (reply.status === 200) heard(threadId);
    }
  };
  for (let index = 0; index < callers; index++) {
    const thread = threads[index % threads.length];
    if (thread !== undefined) loops.push(wait(thread));
    await sleep((waitSeconds * 1_000) / callers);
  }
  while (asking < callers) await sleep(10);
  return {
    /** Changes a thread; how long after that each of its callers heard of it, in milliseconds. */
    hear: async ({ agent, threadId }: Running): Promise<number[]> => {
      const startMs = performance.now();
      const heardMs: number[] = [];
      const all = Promise.withResolvers<void>();
      heard = (id) => {
        if (id === threadId) heardMs.push(performance.now() - startMs);
        if (heardMs.length >= callers / threads.length) all.resolve();
      };
      await site.callers.followUp(agent, threadId, "More");
      await Promise.race([all.promise, Promise.all(loops)]);
      await sleep(100);
      return heardMs;
    },
    leave: async (): Promise<void> => {
      hasLeft = true;
      await crowd.close();
      await Promise.allSettled(loops);
    },
  };
}
