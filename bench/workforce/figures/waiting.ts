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
  const crowd = new Crowd(site, threads);
  try {
    await crowd.join();
    const waited = await shareOfCore(server);
    const lateMs: number[] = [];
    const before = await server.ask("cpu");
    for (const thread of threads) lateMs.push(...(await crowd.hear([thread])));
    const mainMs = (Number((await server.ask("cpu")).mainMs) - Number(before.mainMs)) / threads.length;
    const together = await crowd.hear(threads);
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
    print({
      name: `  all ${threads.length} threads change at once, until the last caller hears`,
      values: [ms(Math.max(...together))],
      note: `(p50 ${ms(percentile(together, 0.5))})`,
    });
  } finally {
    await crowd.leave();
  }
}

/** Of all threads of the process, over one round of waiting. */
async function shareOfCore(server: Server): Promise<number> {
  const before = await server.ask("cpu");
  const startMs = performance.now();
  await sleep(waitSeconds * 1_000);
  return (Number((await server.ask("cpu")).cpuMs) - Number(before.cpuMs)) / (performance.now() - startMs);
}

class Crowd {
  readonly #site: Site;
  readonly #callers: Callers;
  readonly #threads: readonly Running[];
  readonly #loops: Array<Promise<void>> = [];
  #hasLeft = false;
  /** Called with the id of a thread whenever a caller hears of a change. */
  #heard: (threadId: string) => void = () => undefined;
  #asking = 0;

  constructor(site: Site, threads: readonly Running[]) {
    this.#site = site;
    this.#callers = new Callers(site.server.url, site.home.key, callers);
    this.#threads = threads;
  }

  /** Callers come evenly over the time of one wait, as independent callers do. */
  async join(): Promise<void> {
    for (let index = 0; index < callers; index++) {
      const thread = this.#threads[index % this.#threads.length];
      if (thread !== undefined) this.#loops.push(this.#wait(thread));
      await sleep((waitSeconds * 1_000) / callers);
    }
    while (this.#asking < callers) await sleep(10);
  }

  /** Changes the threads; how long after that each of their callers heard of it, in milliseconds. */
  async hear(threads: readonly Running[]): Promise<number[]> {
    const startMs = performance.now();
    const expected = (callers / this.#threads.length) * threads.length;
    const heardMs: number[] = [];
    const all = Promise.withResolvers<void>();
    const ids = new Set(threads.map(({ threadId }) => threadId));
    this.#heard = (threadId) => {
      if (ids.has(threadId)) heardMs.push(performance.now() - startMs);
      if (heardMs.length >= expected) all.resolve();
    };
    await Promise.all(
      threads.map(({ agent, threadId }) => this.#site.callers.followUp(agent, threadId, "More")),
    );
    await Promise.race([all.promise, Promise.all(this.#loops)]);
    await sleep(100);
    return heardMs;
  }

  async #wait({ agent, threadId }: Running): Promise<void> {
    let { etag } = await this.#callers.read(agent, threadId);
    this.#asking += 1;
    while (!this.#hasLeft) {
      const options = { etag, wait: waitSeconds };
      const reply = await this.#callers.read(agent, threadId, options).catch((error: unknown) => {
        if (!this.#hasLeft) throw error;
      });
      if (reply === undefined) return;
      if (reply.status !== 200 && reply.status !== 304)
        throw new Error(`A caller that waits got ${reply.status}`);
      etag = reply.etag;
      if (reply.status === 200) this.#heard(threadId);
    }
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#callers.close();
    await Promise.allSettled(this.#loops);
  }
}
