import { startTopology } from "@muster/processes";
import { median, ms, print } from "../../support/figures.ts";
import type { Model } from "../model.ts";
import { Callers } from "../site.ts";

const maxMs = 15_000;

/**
 * Kills the process that drives a run while the model responds, with another one beside it: how long until the other one
 * has brought the thread to its end.
 */
export async function takeover(model: Model, rounds: number): Promise<void> {
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) tookMs.push(await measure(model, `mark-takeover${round}x`));
  const longest = Math.max(...tookMs);
  print({
    name: "from kill -9 of the process that drives a run to the run's end",
    values: [ms(longest)],
    note: `under ${maxMs} ms (longest of ${rounds}; median ${ms(median(tookMs))})`,
    isReached: longest < maxMs,
  });
}

async function measure(model: Model, mark: string): Promise<number> {
  const { workforce, gateways, adminKey, destroy } = await startTopology({
    LOCAL_BASE_URL: model.baseUrl,
    ...model.patience,
  });
  const toFirst = new Callers(gateways.toFirst.address, adminKey, 4);
  const toBoth = new Callers(gateways.toBoth.address, adminKey, 4);
  try {
    const [first, second] = workforce.map(({ process }) => process);
    const agent = await toFirst.hire(await toFirst.define(), "Lou");
    // While the second one is suspended, only the first one can drive the run.
    second?.kill("SIGSTOP");
    const threadId = await toFirst.dispatch(agent, `HOLD ${mark}`);
    await model.arrival(mark);
    second?.kill("SIGCONT");
    const startMs = performance.now();
    first?.kill("SIGKILL");
    await model.release(mark);
    await toBoth.completed(agent, threadId);
    return performance.now() - startMs;
  } finally {
    await Promise.all([toFirst.close(), toBoth.close()]);
    await destroy();
  }
}
