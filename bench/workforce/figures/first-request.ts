import { median, ms, percentile, print } from "../../support/figures.ts";
import { type Model, machineMs } from "../model.ts";
import type { Site } from "../site.ts";

const maxMs = 60;

/** From writing the request of a dispatch until the first request arrives at the model, on an agent without work. */
export async function firstRequest({ site }: { site: Site }, model: Model, rounds: number): Promise<void> {
  const agent = await site.hire("Max");
  const tookMs: number[] = [];
  for (let round = -5; round < rounds; round++) {
    const mark = `mark-first${round + 5}x`;
    const startMs = machineMs();
    const threadId = await site.callers.dispatch(agent, `Begin ${mark}`);
    const atMs = (await model.arrival(mark)) - startMs;
    await site.callers.completed(agent, threadId);
    await site.callers.idle(agent);
    if (round >= 0) tookMs.push(atMs);
  }
  print({
    name: "dispatch to first model request, idle agent, median",
    values: [ms(median(tookMs))],
    note: `under ${maxMs} ms (p95 ${ms(percentile(tookMs, 0.95))})`,
    isReached: median(tookMs) < maxMs,
  });
}
