import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../stream/statistics.ts";
import type { Api, Hired } from "../api.ts";
import { costOf, load } from "../load.ts";
import { ms, type Row } from "../report.ts";
import type { Home, Server } from "../server.ts";

const callers = 32;
const minPerS = 300;
const maxP95Ms = 60;

/** Dispatches to agents whose runs wait for their models. */
export async function dispatches(
  server: Server,
  api: Api,
  agents: readonly Hired[],
  count: number,
): Promise<Row[]> {
  const act = async (index: number): Promise<void> => {
    const agent = agents[index % agents.length];
    if (agent !== undefined) await api.dispatch(agent, `Task ${index}`);
  };
  await load(server, { callers, count: callers * 4 }, act);
  const measured = await load(server, { callers, count }, act);
  const steady = await load(server, { callers, count, perS: minPerS }, act);
  const p95 = percentile(steady.tookMs, 0.95);
  return [
    {
      name: `dispatch to busy agents, ${callers} callers`,
      value: `${measured.perS.toFixed(0)}/s`,
      note: `at least ${minPerS}/s (${costOf(measured)})`,
      isReached: measured.perS >= minPerS,
    },
    {
      name: `  p95 while they send ${minPerS}/s`,
      value: ms(p95),
      note: `under ${maxP95Ms} ms (p50 ${ms(percentile(steady.tookMs, 0.5))})`,
      isReached: p95 < maxP95Ms,
    },
  ];
}

/** How many threads that has started. */
export function dispatched(count: number): number {
  return 2 * count + callers * 4;
}

/** After `kill -9`, every thread that was accepted waits in its queue. */
export async function durability(
  home: Home,
  api: Api,
  agents: readonly Hired[],
  expected: number,
): Promise<Row> {
  const path = (agentId: string) => `/api/admin/workforce/agents/${agentId}/queue`;
  const queued = async (): Promise<number> => {
    let sum = 0;
    for (const { agentId } of agents) {
      const queue = await api.json(200, "GET", path(agentId), home.key);
      if (!Array.isArray(queue.queued)) throw new Error("A queue has no list");
      sum += queue.queued.length;
    }
    return sum;
  };
  let found = await queued();
  // A thread may be on its way between the queue and its run.
  for (let tries = 0; found !== expected && tries < 20; tries++) {
    await sleep(500);
    found = await queued();
  }
  return {
    name: "  accepted threads that wait after kill -9 and a new start",
    value: `${found}`,
    note: `all ${expected}`,
    isReached: found === expected,
  };
}
