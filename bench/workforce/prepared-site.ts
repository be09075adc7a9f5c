import { join } from "node:path";
import { startEmbeddedStore } from "@muster/embedded-store";
import { createIds, silentLogger } from "@muster/service";
import { openStore } from "@muster/store";
import type { SessionDocument } from "../../services/sessions/src/store/session-document.ts";
import type { ThreadDocument } from "../../services/workforce/src/store/thread-document.ts";
import { seed as seedMessages } from "../growth/seed.ts";
import type { Model } from "./model.ts";
import { type Hired, openSite, type Site } from "./site.ts";

const batch = 500;

/** A server whose agent has finished threads; one of them is long. */
export interface Prepared {
  site: Site;
  agent: Hired;
  finished: number;
  /** A finished thread, of which most others are copies. */
  threadId: string;
  longThreadId: string;
  /** The number of the long thread's messages. */
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
  const prepared = { finished, threadId, longThreadId, messages: 200 };
  await site.restart("stop", () => seed(site.home.directory, prepared));
  return { site, agent, ...prepared };
}

/** Writes into the store of a server that does not run. */
async function seed(directory: string, prepared: Omit<Prepared, "site" | "agent">): Promise<void> {
  const { threadId, finished, longThreadId, messages } = prepared;
  const copies = finished - 2;
  const newId = createIds();
  const store = await startEmbeddedStore({ directory: join(directory, "store") });
  const open = (database: string) => openStore({ uri: store.uri, database, log: silentLogger });
  const stores = await Promise.all(["muster_workforce", "muster_sessions"].map(open));
  try {
    const [workforce, conversations] = stores.map(({ db }) => db);
    if (workforce === undefined || conversations === undefined) throw new Error("The store has no databases");
    const threads = workforce.collection<ThreadDocument>("threads");
    const sessions = conversations.collection<SessionDocument>("workforce_sessions");
    const [thread, long] = [
      await threads.findOne({ _id: threadId }),
      await threads.findOne({ _id: longThreadId }),
    ];
    const session = thread && (await sessions.findOne({ _id: thread.sessionId }));
    if (!thread || !session || !long) throw new Error("The threads were not stored");
    for (let done = 0; done < copies; done += batch) {
      const ids = Array.from({ length: Math.min(batch, copies - done) }, () => newId("ses"));
      await sessions.insertMany(ids.map((_id) => ({ ...session, _id })));
      await threads.insertMany(ids.map((sessionId) => ({ ...thread, _id: newId("thr"), sessionId })));
    }
    await seedMessages(conversations, long.sessionId, messages, { collection: "workforce_sessions" });
  } finally {
    for (const opened of stores) await opened.close();
    await store.stop();
  }
}
