import { setTimeout as sleep } from "node:timers/promises";
import { ms, print } from "../../support/figures.ts";
import { callers, costOf, load } from "../load.ts";
import type { Running, Site } from "../site.ts";

const minPerS = 300;
const maxP95Ms = 60;

/** Dispatches to agents whose runs wait for their models; after `kill -9`, every accepted thread waits in its queue. */
export async function dispatches(site: Site, running: readonly Running[], count: number): Promise<void> {
  const act = (index: number) => dispatchTo(site, running, index);
  await load(site.server, { count: callers * 4 }, act);
  const measured = await load(site.server, { count }, act);
  const steady = await load(site.server, { count, perS: minPerS }, act);
  print({
    name: `dispatch to busy agents, ${callers} callers`,
    values: [`${measured.perS.toFixed(0)}/s`],
    note: `at least ${minPerS}/s (${costOf(measured)})`,
    isReached: measured.perS >= minPerS,
  });
  print({
    name: `  p95 while they send ${minPerS}/s`,
    values: [ms(steady.p95Ms)],
    note: `under ${maxP95Ms} ms (p50 ${ms(steady.p50Ms)})`,
    isReached: steady.p95Ms < maxP95Ms,
  });
  await site.restart("kill");
  await countQueued(site, running, 2 * count + callers * 4);
}

/** The agents take turns. */
export async function dispatchTo(site: Site, running: readonly Running[], index: number): Promise<void> {
  const busy = running[index % running.length];
  if (busy) await site.callers.dispatch(busy.agent, `Task ${index}`);
}

async function countQueued(site: Site, running: readonly Running[], expected: number): Promise<void> {
  let found = 0;
  // A thread may be on its way between the queue and its run.
  for (let tries = 0; found !== expected && tries < 20; tries++) {
    if (tries > 0) await sleep(500);
    found = 0;
    for (const { agent } of running) {
      const { queued } = await site.callers.api.json(
        "GET",
        `/api/admin/workforce/agents/${agent.agentId}/queue`,
      );
      if (!Array.isArray(queued)) throw new Error("A queue has no list");
      found += queued.length;
    }
  }
  print({
    name: "  accepted threads that wait after kill -9 and a new start",
    values: [found],
    note: `all ${expected}`,
    isReached: found === expected,
  });
}
