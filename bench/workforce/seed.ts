import { join } from "node:path";
import { startEmbeddedStore } from "@muster/embedded-store";
import { createIds, silentLogger } from "@muster/service";
import { openStore } from "@muster/store";
import type { SessionDocument } from "../../services/sessions/src/store/session-document.ts";
import type { ThreadDocument } from "../../services/workforce/src/store/thread-document.ts";
import { seed as seedMessages } from "../growth/seed.ts";
import type { Home } from "./server.ts";

const newId = createIds();
const batch = 500;

export interface Seeding {
  /** A finished thread. */
  threadId: string;
  /** So many others like it, of the same agent. */
  copies: number;
}

/** Writes into the store of a server that does not run. */
export async function seedThreads({ directory }: Home, { threadId, copies }: Seeding): Promise<void> {
  await inStore(directory, async (open) => {
    const threads = (await open("muster_workforce")).collection<ThreadDocument>("threads");
    const sessions = (await open("muster_sessions")).collection<SessionDocument>("workforce_sessions");
    const thread = await threads.findOne({ _id: threadId });
    const session = thread && (await sessions.findOne({ _id: thread.sessionId }));
    if (thread === null || session === null) throw new Error("The thread to copy was not stored");
    for (let done = 0; done < copies; done += batch) {
      const ids = Array.from({ length: Math.min(batch, copies - done) }, () => newId("ses"));
      await sessions.insertMany(ids.map((_id) => ({ ...session, _id })));
      await threads.insertMany(ids.map((sessionId) => ({ ...thread, _id: newId("thr"), sessionId })));
    }
  });
}

/** The conversation of a finished thread gets so many messages of 250 characters. */
export async function seedConversation(
  { directory }: Home,
  threadId: string,
  messages: number,
): Promise<void> {
  await inStore(directory, async (open) => {
    const threads = (await open("muster_workforce")).collection<ThreadDocument>("threads");
    const thread = await threads.findOne({ _id: threadId });
    if (thread === null) throw new Error("The thread was not stored");
    await seedMessages(await open("muster_sessions"), thread.sessionId, messages, {
      collection: "workforce_sessions",
    });
  });
}

type Open = (database: string) => Promise<Awaited<ReturnType<typeof openStore>>["db"]>;

async function inStore(directory: string, act: (open: Open) => Promise<void>): Promise<void> {
  const closers: Array<() => Promise<unknown>> = [];
  try {
    const store = await startEmbeddedStore({ directory: join(directory, "store") });
    closers.unshift(() => store.stop());
    await act(async (database) => {
      const opened = await openStore({ uri: store.uri, database, log: silentLogger });
      closers.unshift(() => opened.close());
      return opened.db;
    });
  } finally {
    for (const close of closers) await close();
  }
}
