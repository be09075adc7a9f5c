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
  const callers = new Callers(gateways.toBoth.address, adminKey, 4);
  try {
    const [driver, other] = workforce.map(({ process }) => process);
    const agent = await callers.hire(await callers.define(), "Lou");
    // While it is suspended, no other process can drive the run.
    other?.kill("SIGSTOP");
    const threadId = await callers.dispatch(agent, `HOLD ${mark}`);
    await model.arrival(mark);
    other?.kill("SIGCONT");
    const startMs = performance.now();
    driver?.kill("SIGKILL");
    await model.release(mark);
    await callers.completed(agent, threadId);
    return performance.now() - startMs;
  } finally {
    await callers.close();
    await destroy();
  }
}
