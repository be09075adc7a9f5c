import assert from "node:assert/strict";
import type { StoredMessage, ThreadSummary } from "@muster/engine";
import { createIds, ManualClock, silentLogger } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { type TestContext, test } from "vitest";
import { createChunkStore } from "../../store/chunk-store.ts";
import { inDocument, type SessionDocument } from "../../store/session-document.ts";
import { createHistories, type Reading } from "./histories.ts";
import { createHistoryCache, type HistoryCache } from "./history-cache.ts";

const both: Reading = { turn: ["main", "side"], turns: ["main", "side"] };
const main: Reading = { turn: ["main"], turns: ["main", "side"] };

function message(id: string, thread: string, summary?: ThreadSummary): StoredMessage {
  return {
    id,
    role: summary === undefined ? "user" : "system",
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
    thread,
    audience: summary === undefined ? "everyone" : "model",
    parts: summary === undefined ? [{ type: "text", text: id, status: "done" }] : [],
    ...(summary && { summary }),
  };
}

/** Ten messages on two threads, in turn, whose summaries end at different positions. */
const messages = [
  ...Array.from({ length: 10 }, (_, index) => message(`msg_${index}`, index % 2 === 0 ? "main" : "side")),
  message("msg_main", "main", { through: 3, text: "Main." }),
  message("msg_side", "side", { through: 8, text: "Side." }),
];

async function begin(t: TestContext, stored = messages) {
  const { db } = await openTestStore(t);
  const newId = createIds();
  const cache = createHistoryCache(1_000_000);
  const using = (kept: HistoryCache) =>
    createHistories({
      ...{ chunks: createChunkStore(db), cache: kept, clock: new ManualClock(), log: silentLogger, newId },
      archiveLength: 1,
    });
  const histories = using(cache);
  const conversation = { messages: stored, variables: {}, resources: {} };
  const key = { projectId: "prj_1", sessionId: "ses_1" };
  const now = new Date(0);
  const session: SessionDocument = {
    ...{ _id: "ses_1", projectId: "prj_1", agentId: "agt_1", agentVersion: 1, status: "active", input: "{}" },
    ...{ head: [], ...inDocument({ ...conversation, messages: [] }) },
    ...(await histories.prepare(key, conversation, async () => {})),
    ...{ createdAt: now, updatedAt: now, expiresAt: null, epoch: 0, lease: null, execution: null },
  };
  return { histories, session, cache, cold: () => using(createHistoryCache(1)) };
}

function idsOf({ conversation }: { conversation: { messages: readonly StoredMessage[] } }): string[] {
  return conversation.messages.map(({ id }) => id);
}

test("a turn loads what is not part of the summaries of all threads that it reads", async (t) => {
  const { histories, session } = await begin(t);
  const opened = await histories.open(session, both);
  assert.equal(opened.conversation.loadedFrom, 3);
  assert.deepEqual(
    idsOf(opened),
    messages.slice(3).map(({ id }) => id),
  );
});

test("messages that a rollback brings back to a model are loaded, and the others are not", async (t) => {
  const { histories, session } = await begin(t);
  const kept = await histories.open(session, main);
  assert.ok(await kept.rollBack("msg_5"));
  assert.equal(kept.conversation.loadedFrom, 3);
  assert.deepEqual(idsOf(kept), ["msg_3", "msg_4", "msg_5", "msg_main"]);
  const opened = await histories.open(session, both);
  // The summary of the other thread contains messages that are removed.
  assert.ok(await opened.rollBack("msg_5"));
  assert.equal(opened.conversation.loadedFrom, undefined);
  assert.deepEqual(idsOf(opened), ["msg_0", "msg_1", "msg_2", "msg_3", "msg_4", "msg_5", "msg_main"]);
});

test("a rollback to a message that no user sees changes nothing, and loads nothing", async (t) => {
  const { histories, session } = await begin(t);
  const opened = await histories.open(session, both);
  assert.equal(await opened.rollBack("msg_unknown"), false);
  assert.equal(opened.conversation.loadedFrom, 3);
  assert.equal(opened.conversation.messages.length, 9);
});

test("the cache contains only messages that some trigger of the program reads", async (t) => {
  const { histories, session, cache } = await begin(t);
  await histories.open(session);
  assert.equal(cache.read("ses_1", session.head)?.messages.length, 12);
  await histories.open(session, main);
  assert.equal(cache.read("ses_1", session.head)?.first, 3);
});

test("after a rollback, lists show the same of a session whether its earlier messages are loaded or not", async (t) => {
  for (const firstOfUser of [0, 1, 5, 7]) {
    const stored = messages.map((one, index): StoredMessage => {
      return one.role === "user" && index < firstOfUser ? { ...one, role: "assistant" } : one;
    });
    const { cold, session } = await begin(t, stored);
    for (const target of ["msg_3", "msg_4", "msg_6", "msg_9"]) {
      const shown = [];
      for (const reading of [undefined, main]) {
        const opened = await cold().open(session, reading);
        assert.ok(await opened.rollBack(target));
        const { title, messageCount } = opened.history.snapshot(opened.conversation).fields;
        shown.push({ title, messageCount });
      }
      assert.deepEqual(
        shown[1],
        shown[0],
        `after ${target}, with the first user's message at ${firstOfUser}`,
      );
    }
  }
});
