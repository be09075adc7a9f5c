import { setTimeout as sleep } from "node:timers/promises";
import { median, percentile } from "../../stream/statistics.ts";
import type { Api, Hired } from "../api.ts";
import { load } from "../load.ts";
import { ms, type Row } from "../report.ts";
import type { Server } from "../server.ts";

const maxCost = 1.05;
const maxSlowdown = 1.1;
const queuedRecordings = 10;
const callers = 32;
/** Well below what a server takes, so that only the time of each dispatch counts. */
const perS = 100;

/** What recording costs the runs themselves: CPU of the server, in which no recorder runs. Each run has two commands and three answers. */
export async function recordingCost(server: Server, api: Api, agent: Hired, rounds: number): Promise<Row> {
  const runs = async (record: boolean): Promise<number> => {
    const before = await server.cpu();
    for (let run = 0; run < 10; run += 1)
      await api.completed(agent, await api.dispatch(agent, "TASK", { record }));
    return (await server.cpu()).cpuMs - before.cpuMs;
  };
  await runs(true);
  await runs(false);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The order changes, so that a trend favours neither.
    const isFirst = round % 2 === 0;
    const first = await runs(isFirst);
    const second = await runs(!isFirst);
    ratios.push(isFirst ? first / second : second / first);
  }
  const ratio = median(ratios);
  return {
    name: "CPU of a recorded run, compared with one that is not",
    value: ratio.toFixed(3),
    note: `under ${maxCost} (${rounds} rounds of ten runs each)`,
    isReached: ratio < maxCost,
  };
}

/** Dispatches to busy agents while ten recordings are rendered one after another, compared with before. */
export async function queuedVideos(
  server: Server,
  api: Api,
  { recorded, busy }: { recorded: readonly Hired[]; busy: readonly Hired[] },
  { rounds, count }: { rounds: number; count: number },
): Promise<Row> {
  const p95 = async (): Promise<number> => {
    const act = async (index: number): Promise<void> => {
      const agent = busy[index % busy.length];
      if (agent !== undefined) await api.dispatch(agent, `Task ${index}`);
    };
    return percentile((await load(server, { callers, count, perS }, act)).tookMs, 0.95);
  };
  await p95();
  const ratios: number[] = [];
  let [quietMs, loadedMs] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    quietMs = await p95();
    const runs = await Promise.all(
      Array.from({ length: queuedRecordings }, async (_, index) => {
        const agent = recorded[index % recorded.length];
        if (agent === undefined) throw new Error("No agent is recorded");
        const threadId = await api.dispatch(agent, "TASK", { record: true });
        await api.completed(agent, threadId);
        return { agent, threadId };
      }),
    );
    loadedMs = await p95();
    const open = (await Promise.all(runs.map((run) => status(api, run)))).filter(
      (each) => each === "processing",
    );
    if (open.length === 0) throw new Error("The recordings were rendered before the dispatches ended");
    ratios.push(loadedMs / quietMs);
    for (const run of runs) await rendered(api, run);
  }
  const ratio = median(ratios);
  return {
    name: `p95 of dispatches while ${queuedRecordings} recordings wait for their videos`,
    value: ratio.toFixed(2),
    note: `under ${maxSlowdown} times that before (last round ${ms(quietMs)} and ${ms(loadedMs)})`,
    isReached: ratio < maxSlowdown,
  };
}

interface Run {
  agent: Hired;
  threadId: string;
}

async function status(api: Api, { agent, threadId }: Run): Promise<unknown> {
  const { text } = await api.read(agent, threadId);
  const { recording } = Object(JSON.parse(text));
  return Object(recording).status;
}

const renderWithinMs = 600_000;

async function rendered(api: Api, run: Run): Promise<void> {
  const deadlineMs = performance.now() + renderWithinMs;
  for (;;) {
    const state = await status(api, run);
    if (state === "ready") return;
    if (state !== "processing" || performance.now() > deadlineMs)
      throw new Error(`A recording is ${String(state)}`);
    await sleep(200);
  }
}
