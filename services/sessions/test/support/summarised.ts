import type { StoredMessage } from "@muster/engine";
import { createIds, silentLogger } from "@muster/service";
import { createHistories } from "../../src/conversations/history/histories.ts";
import { createHistoryCache } from "../../src/conversations/history/history-cache.ts";
import { createChunkStore } from "../../src/store/chunk-store.ts";
import { chat } from "./definitions.ts";
import { projectId, type World } from "./harness.ts";

const newId = createIds();
/** An agent whose context is managed. */
export const managed = {
  ...chat,
  protocol: chat.protocol.replace("agent:\n", "agent:\n  contextManagement: {}\n"),
};
/** That many messages follow the summary's. */
export const recent = 10;

export function message(index: number): StoredMessage {
  const about = {
    thread: "main",
    audience: "everyone",
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
  } as const;
  const text = `message ${index}, ${"and so on ".repeat(25)}`;
  const role = index % 2 === 0 ? "user" : "assistant";
  return {
    id: `msg_${index}`,
    role,
    ...about,
    executionId: `exe_${index}`,
    parts: [{ type: "text", text, status: "done" }],
  };
}

/** The messages, of two each turn, and a summary of all but the last ones. */
export function summarised(count: number): StoredMessage[] {
  const summary: StoredMessage = {
    ...message(count - 1),
    ...{ id: "msg_summary", role: "system", audience: "model", parts: [] },
    summary: { through: count - recent, text: "They count." },
  };
  return [...Array.from({ length: count }, (_, index) => message(index)), summary];
}

/** Gives a session its messages, as a restoration does. */
export async function seed(
  world: World,
  sessionId: string,
  messages: StoredMessage[],
  archiveLength = 1_000,
): Promise<void> {
  const histories = createHistories({
    chunks: createChunkStore(world.store.db.client.db(`${world.store.databasePrefix}_sessions`)),
    ...{ cache: createHistoryCache(1), clock: world.clock, log: silentLogger, newId, archiveLength },
  });
  const conversation = { messages, variables: {}, resources: {} };
  const fields = await histories.prepare({ projectId, sessionId }, conversation, async () => {});
  await world.sessions.updateOne({ _id: sessionId }, { $set: fields });
}
