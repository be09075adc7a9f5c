import { join } from "node:path";
import { startEmbeddedStore } from "@muster/embedded-store";
import { createIds, silentLogger } from "@muster/service";
import { openStore } from "@muster/store";
import type { SessionDocument } from "../../services/sessions/src/store/session-document.ts";
import type { ThreadDocument } from "../../services/workforce/src/store/thread-document.ts";
import { seed as seedMessages } from "../growth/seed.ts";

const batch = 500;

export interface Seeding {
  /** A finished thread. */
  threadId: string;
  /** So many others like it, of the same agent. */
  copies: number;
  /** Another finished thread, which gets so many messages of 250 characters. */
  longThreadId: string;
  messages: number;
}

/** Writes into the store of a server that does not run. */
export async function seed(directory: string, seeding: Seeding): Promise<void> {
  const { threadId, copies, longThreadId, messages } = seeding;
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
