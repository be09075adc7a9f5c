import { median, percentile } from "../../stream/statistics.ts";
import type { Api, Hired } from "../api.ts";
import { type Model, machineMs } from "../model.ts";
import { ms, type Row } from "../report.ts";

const maxMs = 60;

let marks = 0;

/** From writing the request of a dispatch until the first request arrives at the model, on an agent without work. */
export async function firstRequest(api: Api, model: Model, agent: Hired, rounds: number): Promise<Row> {
  const tookMs: number[] = [];
  for (let round = -5; round < rounds; round++) {
    const mark = `mark-${++marks}x`;
    const startMs = machineMs();
    const threadId = await api.dispatch(agent, `Begin ${mark}`);
    const atMs = (await model.arrival(mark)) - startMs;
    await api.completed(agent, threadId);
    await api.idle(agent);
    if (round >= 0) tookMs.push(atMs);
  }
  const middle = median(tookMs);
  return {
    name: "dispatch to first model request, idle agent, median",
    value: ms(middle),
    note: `under ${maxMs} ms (p95 ${ms(percentile(tookMs, 0.95))})`,
    isReached: middle < maxMs,
  };
}
