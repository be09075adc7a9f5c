import { setTimeout as sleep } from "node:timers/promises";
import { median, ms, print } from "../../support/figures.ts";
import { load } from "../load.ts";
import type { Model } from "../model.ts";
import { openSite, type Running, type Site } from "../site.ts";
import { dispatchTo } from "./dispatch.ts";

const maxCost = 1.05;
const maxSlowdown = 1.1;
const queuedRecordings = 10;
/** Well below what a server takes, so that only the time of each dispatch counts. */
const perS = 100;
const renderWithinMs = 600_000;

/**
 * The cost of recording for the runs themselves: CPU of a server in which nothing renders. Each run has two commands and
 * three answers.
 */
export async function recordingCost(model: Model, rounds: number): Promise<void> {
  const site = await openSite(model, { RECORDER_CONCURRENCY: "0" });
  try {
    const agent = await site.hire("Lou");
    const costOf = async (record: boolean): Promise<number> => {
      const run = async () =>
        site.callers.completed(agent, await site.callers.dispatch(agent, "TASK", { record }));
      return (await load(site.server, { callers: 1, count: 10 }, run)).cpuMs;
    };
    await costOf(true);
    await costOf(false);
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // The order changes, so that a trend favours neither.
      const isFirst = round % 2 === 0;
      const [first, second] = [await costOf(isFirst), await costOf(!isFirst)];
      ratios.push(isFirst ? first / second : second / first);
    }
    print({
      name: "CPU of a recorded run, compared with one that is not",
      values: [median(ratios).toFixed(3)],
      note: `under ${maxCost} (${rounds} rounds of ten runs each)`,
      isReached: median(ratios) < maxCost,
    });
  } finally {
    await site.close();
  }
}

/** Dispatches to busy agents while ten recordings are rendered one after another, compared with before. */
export async function queuedVideos(model: Model, rounds: number, count: number): Promise<void> {
  const site = await openSite(model, { RECORDER_CONCURRENCY: "1" });
  try {
    const recorded = await site.hireMany(queuedRecordings);
    const busy = await site.startRuns(20);
    const p95 = async () =>
      (await load(site.server, { count, perS }, (index) => dispatchTo(site, busy, index))).p95Ms;
    await p95();
    const ratios: number[] = [];
    let [quietMs, loadedMs] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      quietMs = await p95();
      const runs = await Promise.all(
        recorded.map(async (agent) => {
          const threadId = await site.callers.dispatch(agent, "TASK", { record: true });
          await site.callers.completed(agent, threadId);
          return { agent, threadId };
        }),
      );
      loadedMs = await p95();
      const states = await Promise.all(runs.map((run) => recordingOf(site, run)));
      if (!states.includes("processing"))
        throw new Error("The recordings were rendered before the dispatches ended");
      ratios.push(loadedMs / quietMs);
      for (const run of runs) await rendered(site, run);
    }
    print({
      name: `p95 of dispatches while ${queuedRecordings} recordings wait for their videos`,
      values: [median(ratios)],
      note: `under ${maxSlowdown} times that before (last round ${ms(quietMs)} and ${ms(loadedMs)})`,
      isReached: median(ratios) < maxSlowdown,
    });
  } finally {
    await site.close();
  }
}

async function recordingOf(site: Site, { agent, threadId }: Running): Promise<unknown> {
  const { text } = await site.callers.read(agent, threadId);
  return Object(Object(JSON.parse(text)).recording).status;
}

async function rendered(site: Site, run: Running): Promise<void> {
  const deadlineMs = performance.now() + renderWithinMs;
  for (;;) {
    const state = await recordingOf(site, run);
    if (state === "ready") return;
    if (state !== "processing" || performance.now() > deadlineMs)
      throw new Error(`A recording is ${String(state)}`);
    await sleep(200);
  }
}
