import type { StoredMessage } from "@muster/engine";
import { createIds, silentLogger, systemClock } from "@muster/service";
import { createHistories } from "../../services/sessions/src/conversations/history/histories.ts";
import { createHistoryCache } from "../../services/sessions/src/conversations/history/history-cache.ts";
import { createChunkStore } from "../../services/sessions/src/store/chunk-store.ts";
import type { SessionDocument } from "../../services/sessions/src/store/session-document.ts";

const newId = createIds();
const text = "It is about two hundred and fifty characters long, like a message of a talkative user. "
  .repeat(3)
  .slice(0, 250);

/** Gives a session that many messages, through the store, and a summary of the first ones. */
export async function seed(
  db: Parameters<typeof createChunkStore>[0],
  sessionId: string,
  count: number,
  { collection = "sessions", through = 0 } = {},
): Promise<void> {
  const sessions = db.collection<SessionDocument>(collection);
  const session = await sessions.findOne({ _id: sessionId });
  if (session === null) throw new Error("The session was not created");
  const histories = createHistories({
    chunks: createChunkStore(db),
    cache: createHistoryCache(1_000_000),
    clock: systemClock,
    log: silentLogger,
    newId,
    archiveLength: 32 * 1024,
  });
  const messages = Array.from({ length: count }, (_, index): StoredMessage => message(index));
  if (through > 0) messages.push(summaryOf(through));
  const key = { projectId: session.projectId, sessionId };
  const conversation = { messages, ...JSON.parse(session.memory ?? "{}") };
  const fields = await histories.prepare(key, conversation, async () => undefined);
  await sessions.updateOne({ _id: sessionId }, { $set: fields });
}

function summaryOf(through: number): StoredMessage {
  return { ...message(1), role: "system", audience: "model", parts: [], summary: { through, text } };
}

function message(index: number): StoredMessage {
  return {
    id: newId("msg"),
    role: index % 2 === 0 ? "user" : "assistant",
    status: "done",
    createdAt: new Date().toISOString(),
    executionId: `exe_${index}`,
    thread: "main",
    audience: "everyone",
    parts: [{ type: "text", text, status: "done" }],
  };
}
