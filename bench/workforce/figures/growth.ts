import { ms, print } from "../../support/figures.ts";
import { load } from "../load.ts";
import type { Model } from "../model.ts";
import { type Prepared, prepare } from "../prepared-site.ts";

const maxRatio = 1.2;
const perBlock = 40;

/** A server with 10,000 finished threads and one with few take turns; the CPU time of all rounds counts. */
export async function growth(few: Prepared, model: Model, rounds: number): Promise<void> {
  const many = await prepare(model, 10_000);
  try {
    // Dispatches then wait in the queue, and no run disturbs.
    for (const { site, agent } of [few, many]) await site.hold(agent);
    await compare("poll", poll, few, many, rounds);
    await compare("dispatch", dispatch, few, many, rounds);
  } finally {
    await many.site.close();
  }
}

async function compare(
  name: string,
  act: (side: Prepared) => Promise<void>,
  few: Prepared,
  many: Prepared,
  rounds: number,
): Promise<void> {
  /** CPU time of one request, all threads. */
  const costOf = async (side: Prepared) =>
    (await load(side.site.server, { callers: 4, count: perBlock }, () => act(side))).cpuMs / rounds;
  let [fewMs, manyMs] = [0, 0];
  for (let round = -2; round < rounds; round++) {
    // The first rounds warm both up.
    const [one, other] = [await costOf(few), await costOf(many)];
    if (round >= 0) [fewMs, manyMs] = [fewMs + one, manyMs + other];
  }
  const ratio = manyMs / fewMs;
  print({
    name: `${name} with ${many.finished} finished threads / with ${few.finished}`,
    values: [ratio],
    note: `at most ${maxRatio} (CPU: ${ms(manyMs)} / ${ms(fewMs)})`,
    isReached: ratio <= maxRatio,
  });
}

async function poll({ site, agent, threadId }: Prepared): Promise<void> {
  const { status } = await site.callers.read(agent, threadId);
  if (status !== 200) throw new Error(`A poll got ${status}`);
}

async function dispatch({ site, agent }: Prepared): Promise<void> {
  await site.callers.dispatch(agent, "Another task");
}
