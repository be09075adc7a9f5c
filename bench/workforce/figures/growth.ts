import type { Api, Hired } from "../api.ts";
import { load } from "../load.ts";
import { ms, type Row } from "../report.ts";
import type { Server } from "../server.ts";

const maxRatio = 1.2;
const perBlock = 40;

/** One agent that is busy, with so many finished threads in its server. */
export interface Grown {
  server: Server;
  api: Api;
  agent: Hired;
  finished: number;
  /** One of these. */
  threadId: string;
}

/** Both servers take turns; the CPU time of all rounds counts. */
export async function growth(small: Grown, large: Grown, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, act] of [
    ["poll", poll],
    ["dispatch", dispatch],
  ] as const) {
    const costs: Array<[number, number]> = [];
    for (let round = -2; round < rounds; round++) {
      // The first rounds warm both up.
      const pair: [number, number] = [await blockOf(small, act), await blockOf(large, act)];
      if (round >= 0) costs.push(pair);
    }
    const ratio = sum(costs, 1) / sum(costs, 0);
    rows.push({
      name: `${name} with ${large.finished} finished threads / with ${small.finished}`,
      value: ratio.toFixed(2),
      note: `at most ${maxRatio} (CPU: ${ms(sum(costs, 1) / rounds)} / ${ms(sum(costs, 0) / rounds)})`,
      isReached: ratio <= maxRatio,
    });
  }
  return rows;
}

/** CPU time of one request, all threads. */
async function blockOf(grown: Grown, act: (grown: Grown) => Promise<void>): Promise<number> {
  const { each } = await load(grown.server, { callers: 4, count: perBlock }, () => act(grown));
  return each.cpuMs;
}

async function poll({ api, agent, threadId }: Grown): Promise<void> {
  const { status } = await api.read(agent, threadId);
  if (status !== 200) throw new Error(`A poll got ${status}`);
}

async function dispatch({ api, agent }: Grown): Promise<void> {
  await api.dispatch(agent, "Another task");
}

function sum(costs: ReadonlyArray<[number, number]>, side: 0 | 1): number {
  return costs.reduce((total, pair) => total + pair[side], 0);
}
