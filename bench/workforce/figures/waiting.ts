import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../stream/statistics.ts";
import { Api, type Hired } from "../api.ts";
import { ms, type Row } from "../report.ts";
import type { Server } from "../server.ts";

const callers = 500;
const waitSeconds = 25;
const maxShare = 0.05;
const maxLateMs = 200;

/** A thread whose run waits for its model. */
export interface Running {
  agent: Hired;
  threadId: string;
}

/** Callers in `?wait=25`, over and over, spread over threads that do not change; then each of these changes once. */
export async function waiting(server: Server, api: Api, threads: readonly Running[]): Promise<Row[]> {
  const idle = await shareOfCore(server);
  const crowd = new Crowd(server.url, threads);
  try {
    await crowd.join();
    const waited = await shareOfCore(server);
    const added = waited.share - idle.share;
    const lateMs: number[] = [];
    const before = await server.cpu();
    for (const thread of threads) lateMs.push(...(await crowd.hear(api, [thread])));
    const mainMs = ((await server.cpu()).mainMs - before.mainMs) / threads.length;
    const together = await crowd.hear(api, threads);
    const p95 = percentile(lateMs, 0.95);
    const longest = Math.max(...lateMs);
    const share = (value: number) => `${(value * 100).toFixed(1)} %`;
    return [
      {
        name: `${callers} callers in ?wait=${waitSeconds}`,
        value: share(added),
        note: `under ${share(maxShare)} of a core (${share(waited.share)} with them, ${share(idle.share)} without)`,
        isReached: added < maxShare,
      },
      {
        name: `  the callers of one thread (${callers / threads.length}) hear of its change, longest`,
        value: ms(longest),
        note: `under ${maxLateMs} ms after it was asked for (p50 ${ms(percentile(lateMs, 0.5))}, p95 ${ms(p95)}; ${ms(mainMs)} of the main thread for each change)`,
        isReached: longest < maxLateMs,
      },
      {
        name: `  all ${threads.length} threads change at once, until the last caller hears`,
        value: ms(Math.max(...together)),
        note: `(p50 ${ms(percentile(together, 0.5))})`,
      },
    ];
  } finally {
    await crowd.leave();
  }
}

/** Of all threads of the process, over one round of waiting. */
async function shareOfCore(server: Server): Promise<{ share: number }> {
  const before = await server.cpu();
  const startMs = performance.now();
  await sleep(waitSeconds * 1_000);
  const elapsedMs = performance.now() - startMs;
  return { share: ((await server.cpu()).cpuMs - before.cpuMs) / elapsedMs };
}

class Crowd {
  readonly #api: Api;
  readonly #threads: readonly Running[];
  readonly #loops: Array<Promise<void>> = [];
  #isOver = false;
  /** Called with the id of a thread whenever a caller hears of a change. */
  #heard: (threadId: string) => void = () => undefined;
  #asking = 0;

  constructor(url: string, threads: readonly Running[]) {
    this.#api = new Api(url, callers);
    this.#threads = threads;
  }

  /** Callers come evenly over the time of one wait, as callers do who do not know each other. */
  async join(): Promise<void> {
    for (let index = 0; index < callers; index++) {
      const thread = this.#threads[index % this.#threads.length];
      if (thread !== undefined) this.#loops.push(this.#wait(thread));
      await sleep((waitSeconds * 1_000) / callers);
    }
    while (this.#asking < callers) await sleep(10);
  }

  /** Changes the threads; how long after that each of their callers heard of it, in milliseconds. */
  async hear(api: Api, threads: readonly Running[]): Promise<number[]> {
    const startMs = performance.now();
    const expected = (callers / this.#threads.length) * threads.length;
    const heardMs: number[] = [];
    const all = Promise.withResolvers<void>();
    const ids = new Set(threads.map(({ threadId }) => threadId));
    this.#heard = (threadId) => {
      if (ids.has(threadId)) heardMs.push(performance.now() - startMs);
      if (heardMs.length >= expected) all.resolve();
    };
    await Promise.all(threads.map(({ agent, threadId }) => api.followUp(agent, threadId, "More")));
    await Promise.race([all.promise, Promise.all(this.#loops)]);
    await sleep(100);
    return heardMs;
  }

  async #wait({ agent, threadId }: Running): Promise<void> {
    let { etag } = await this.#api.read(agent, threadId);
    this.#asking += 1;
    while (!this.#isOver) {
      const answer = await this.#api
        .read(agent, threadId, { etag, wait: waitSeconds })
        .catch((error: unknown) => {
          if (this.#isOver) return undefined;
          throw error;
        });
      if (answer === undefined) return;
      if (answer.status !== 200 && answer.status !== 304)
        throw new Error(`A caller that waits got ${answer.status}`);
      etag = answer.etag;
      if (answer.status === 200) this.#heard(threadId);
    }
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    await this.#api.close();
    await Promise.allSettled(this.#loops);
  }
}
