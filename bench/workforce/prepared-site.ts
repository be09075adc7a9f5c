import type { Model } from "./model.ts";
import { seed } from "./seed.ts";
import { type Hired, openSite, type Site } from "./site.ts";

/** A server whose agent has finished threads; one of them is long. */
export interface Prepared {
  site: Site;
  agent: Hired;
  finished: number;
  threadId: string;
  longThreadId: string;
  /** Of the long thread. */
  messages: number;
}

export async function prepare(model: Model, finished: number, profile?: string): Promise<Prepared> {
  const site = await openSite(model, {}, profile);
  const agent = await site.hire("Lou");
  const [threadId, longThreadId] = [
    await site.callers.dispatch(agent, "Work"),
    await site.callers.dispatch(agent, "Work long"),
  ];
  for (const id of [threadId, longThreadId]) await site.callers.completed(agent, id);
  const messages = 200;
  await site.restart("stop", () =>
    seed(site.home.directory, { threadId, copies: finished - 2, longThreadId, messages }),
  );
  return { site, agent, finished, threadId, longThreadId, messages };
}
