import { median } from "../../stream/statistics.ts";
import { Api } from "../api.ts";
import { startCluster } from "../cluster.ts";
import type { Model } from "../model.ts";
import { ms, type Row } from "../report.ts";

const maxMs = 15_000;

/**
 * Kills the process that drives a run while the model responds, with a second one beside it: how long until the second one
 * has brought the thread to its end.
 */
export async function takeover(model: Model, rounds: number): Promise<Row> {
  const cluster = await startCluster(model.baseUrl);
  const api = new Api(cluster.url, 4);
  const tookMs: number[] = [];
  try {
    const agent = await api.hire(cluster.key, await api.define(cluster.key), "Lou");
    for (let round = 0; round < rounds; round++) {
      const mark = `mark-takeover${round}x`;
      const threadId = await api.dispatch(agent, `HOLD ${mark}`);
      await model.arrival(mark);
      await cluster.addWorkforce();
      const startMs = performance.now();
      await cluster.killOldest();
      await model.release(mark);
      await api.completed(agent, threadId);
      tookMs.push(performance.now() - startMs);
    }
  } finally {
    await api.close();
    await cluster.stop();
  }
  const longest = Math.max(...tookMs);
  return {
    name: "from kill -9 of the process that drives a run to the run's end",
    value: ms(longest),
    note: `under ${maxMs} ms (longest of ${rounds}; median ${ms(median(tookMs))})`,
    isReached: longest < maxMs,
  };
}
