import { setTimeout as sleep } from "node:timers/promises";
import { readMemoryBytes } from "../../stream/processes.ts";
import { percentile } from "../../stream/statistics.ts";
import type { Api, Hired } from "../api.ts";
import type { Model } from "../model.ts";
import { ms, type Row } from "../report.ts";
import type { Server } from "../server.ts";

const openWithinMs = 120_000;

/** One thread for each agent, all of which wait for their models at the same time; then all end. */
export async function manyRuns(
  server: Server,
  api: Api,
  model: Model,
  agents: readonly Hired[],
): Promise<Row> {
  const before = await model.held();
  const startMs = performance.now();
  const memoryBefore = await readMemoryBytes(server.pid);
  const threads = await Promise.all(
    agents.map(async (agent) => ({ agent, threadId: await api.dispatch(agent, "HOLD many") })),
  );
  let held = 0;
  while (held < agents.length && performance.now() - startMs < openWithinMs) {
    await sleep(50);
    held = (await model.held()) - before;
  }
  const openMs = performance.now() - startMs;
  const perRun = ((await readMemoryBytes(server.pid)) - memoryBefore) / agents.length / 1024;
  const pollsMs = await polls(api, threads);
  await model.release("HOLD many");
  await Promise.all(threads.map(({ agent, threadId }) => api.completed(agent, threadId)));
  const detail = `after ${(openMs / 1_000).toFixed(1)} s, ${perRun.toFixed(0)} KiB each; polls meanwhile p95 ${ms(percentile(pollsMs, 0.95))}`;
  return {
    name: "agents that wait for their models at once, and complete",
    value: `${held}`,
    note: `${agents.length} (${detail})`,
    isReached: held === agents.length,
  };
}

async function polls(
  api: Api,
  threads: ReadonlyArray<{ agent: Hired; threadId: string }>,
): Promise<number[]> {
  const tookMs: number[] = [];
  for (const { agent, threadId } of threads) {
    const startMs = performance.now();
    await api.read(agent, threadId);
    tookMs.push(performance.now() - startMs);
  }
  return tookMs;
}
