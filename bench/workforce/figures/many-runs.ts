import { setTimeout as sleep } from "node:timers/promises";
import { print } from "../../support/figures.ts";
import { readMemoryBytes } from "../../support/processes.ts";
import type { Model } from "../model.ts";
import type { Site } from "../site.ts";

const openWithinMs = 120_000;

/** One thread for each of 200 agents, all of which wait for their models at the same time; then all end. */
export async function manyRuns({ site }: { site: Site }, model: Model): Promise<void> {
  const { server, callers } = site;
  const agents = await site.hireMany(200);
  const before = await model.held();
  const startMs = performance.now();
  const memoryBefore = await readMemoryBytes(server.pid);
  const threads = await Promise.all(
    agents.map(async (agent) => ({ agent, threadId: await callers.dispatch(agent, "HOLD many") })),
  );
  let held = 0;
  while (held < agents.length && performance.now() - startMs < openWithinMs) {
    await sleep(50);
    held = (await model.held()) - before;
  }
  const openS = (performance.now() - startMs) / 1_000;
  const perRun = ((await readMemoryBytes(server.pid)) - memoryBefore) / agents.length / 1024;
  await model.release("HOLD many");
  await Promise.all(threads.map(({ agent, threadId }) => callers.completed(agent, threadId)));
  print({
    name: "agents that wait for their models at once, and complete",
    values: [held],
    note: `${agents.length} (after ${openS.toFixed(1)} s, ${perRun.toFixed(0)} KiB each)`,
    isReached: held === agents.length,
  });
}
