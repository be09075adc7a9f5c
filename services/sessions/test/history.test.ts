import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { StoredMessage } from "@muster/engine";
import { View } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { createIds, silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { createHistories } from "../src/conversations/history/histories.ts";
import { createHistoryCache } from "../src/conversations/history/history-cache.ts";
import { sweepAfter } from "../src/conversations/history/sweep.ts";
import { createChunkStore } from "../src/store/chunk-store.ts";
import type { SessionDocument } from "../src/store/session-document.ts";
import { createSessionStore } from "../src/store/session-store.ts";
import {
  type Instance,
  messagesOf,
  openSession,
  projectId,
  readAll,
  readSession,
  refusal,
  result,
  say,
  startWorld,
  textOf,
  type World,
} from "./support/harness.ts";

const hourMs = 3_600_000;

function finished(id: string, text: string): StoredMessage {
  return {
    id,
    role: "user",
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
    thread: "main",
    audience: "everyone",
    parts: [{ type: "text", text, status: "done" }],
  };
}

/** Small, so that a few messages are already archived. */
const config = { archiveLength: 1_000 };
const demo = { MODEL: "demo/echo" };

/** One turn for each number, each with a message that begins with it. */
async function sayAll(world: World, { client }: Instance, sessionId: string, ...numbers: number[]) {
  for (const number of numbers) {
    const text = `${number} ${"x".repeat(200)}`;
    await readAll(client.trigger(say(sessionId, text), world.as()));
  }
}

/** The numbers of the user's messages, as users read them. */
async function numbersIn(world: World, instance: Instance, sessionId: string): Promise<number[]> {
  const messages = await messagesOf(world, instance, sessionId);
  return messages.flatMap(({ role, parts }) =>
    role === "user" ? Number.parseInt(String(parts[0]?.text), 10) : [],
  );
}

function countTo(end: number): number[] {
  return Array.from({ length: end }, (_, index) => index + 1);
}

describe("a long conversation", () => {
  test("a session's document stays small however long its conversation is, and every reader sees all of it", async (t) => {
    const world = await startWorld(t);
    const instances = [await world.addInstance(config), await world.addInstance(config)] as const;
    const sessionId = await openSession(world, instances[0], demo);
    for (const n of countTo(15)) await sayAll(world, instances[n % 2 === 0 ? 0 : 1], sessionId, n);
    const { head, tail } = await world.document(sessionId);
    assert.ok(tail !== null && tail.length < 4 * config.archiveLength, `${tail?.length} characters`);
    assert.equal(head.length, 1);
    assert.ok(Number(head[0]?.to) >= 20);
    for (const instance of instances) {
      assert.deepEqual(await numbersIn(world, instance, sessionId), countTo(15));
    }
  });

  test("a model is sent the archived messages too, whichever instance runs the turn", async (t) => {
    const world = await startWorld(
      t,
      countTo(5).map(() => ({ parts: [{ text: "Well said." }] })),
    );
    const instances = [await world.addInstance(config), await world.addInstance(config)] as const;
    const sessionId = await openSession(world, instances[0]);
    await sayAll(world, instances[0], sessionId, 1, 2, 3, 4);
    assert.ok((await world.chunks.countDocuments()) > 0);
    await sayAll(world, instances[1], sessionId, 5);
    const sent = JSON.stringify(world.provider.requests.at(-1)?.body);
    for (const n of countTo(5)) assert.match(sent, new RegExp(`"${n} xxx`));
  });

  test("a short conversation never leaves its document", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, demo);
    await sayAll(world, instance, sessionId, ...countTo(10));
    assert.equal(await world.chunks.countDocuments(), 0);
    assert.equal((await world.document(sessionId)).head[0]?.to, 0);
  });

  test("messages longer than a chunk are archived and read back", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, demo);
    const long = "y".repeat(150_000);
    for (const text of [`1${long}`, "2", `3${long}`, "4"]) {
      await readAll(instance.client.trigger(say(sessionId, text), world.as()));
    }
    assert.ok((await world.chunks.countDocuments()) >= 4);
    const other = await world.addInstance();
    assert.deepEqual(await numbersIn(world, other, sessionId), [1, 2, 3, 4]);
    const [first] = await messagesOf(world, other, sessionId);
    assert.equal(first?.parts[0]?.text, `1${long}`);
  });
});

describe("reading a long conversation", () => {
  test("a reader pages backwards through a conversation and meets every message once", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance(config);
    const sessionId = await openSession(world, instance, demo);
    await sayAll(world, instance, sessionId, ...countTo(12));
    for (const view of [View.UI, View.FULL]) {
      const { messages: all } = await readSession(instance.client, { sessionId, view }, world.as());
      for (const [index, { id: beforeMessageId }] of all.entries()) {
        const request = { sessionId, view, beforeMessageId };
        const { messages } = await readSession(instance.client, request, world.as());
        assert.deepEqual(messages, all.slice(0, index));
      }
      for (const limit of [1, 3, 7, 24, 1_000]) {
        const pages: string[] = [];
        let page = await readSession(instance.client, { sessionId, view, limit }, world.as());
        while (page.messages.length > 0) {
          assert.ok(page.messages.length <= limit);
          pages.unshift(...page.messages.map(({ id }) => id));
          const request = { sessionId, view, limit, beforeMessageId: page.messages[0]?.id ?? "" };
          page = await readSession(instance.client, request, world.as());
        }
        assert.deepEqual(
          pages,
          all.map(({ id }) => id),
        );
      }
    }
  });

  test("a page before an unknown message, or without a valid limit, is refused", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance(config);
    const sessionId = await openSession(world, instance, demo);
    await sayAll(world, instance, sessionId, ...countTo(6));
    const read = (request: { limit?: number; beforeMessageId?: string }) =>
      refusal(readSession(instance.client, { sessionId, ...request }, world.as()));
    assert.equal((await read({ beforeMessageId: "msg_none" })).reason, Reason.UNKNOWN_MESSAGE);
    for (const wrong of [{ limit: 0 }, { limit: 1_001 }, { beforeMessageId: "" }]) {
      assert.equal((await read(wrong)).reason, Reason.INVALID_REQUEST);
    }
  });

  test("a page reads only the chunks that it shows", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance(config);
    const sessionId = await openSession(world, instance, demo);
    await sayAll(world, instance, sessionId, ...countTo(12));
    const first = await world.chunks.findOne({ sessionId, first: 0 });
    await world.chunks.deleteOne({ _id: first?._id ?? "" });
    const { messages } = await readSession(instance.client, { sessionId, limit: 4 }, world.as());
    assert.equal(messages.length, 4);
    await assert.rejects(readSession(instance.client, { sessionId }, world.as()));
  });

  test("a conversation larger than a message between services arrives whole", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, demo);
    const long = "ä".repeat(2_500_000);
    for (const n of countTo(3)) {
      await readAll(instance.client.trigger(say(sessionId, `${n} ${long}`), world.as()));
    }
    const messages = await messagesOf(world, instance, sessionId);
    assert.deepEqual(await numbersIn(world, instance, sessionId), countTo(3));
    assert.ok(
      messages
        .filter(({ role }) => role === "user")
        .every(({ parts }) => String(parts[0]?.text).endsWith(long)),
    );
  });
});

describe("a rollback of archived messages", () => {
  test("after a rollback on one instance, another with the removed messages in its cache never shows or sends them", async (t) => {
    const world = await startWorld(t);
    const instances = [await world.addInstance(config), await world.addInstance(config)] as const;
    const sessionId = await openSession(world, instances[0], demo);
    await sayAll(world, instances[0], sessionId, ...countTo(9));
    await sayAll(world, instances[1], sessionId, 10);
    const messages = await messagesOf(world, instances[1], sessionId);
    const rollback = { afterMessageId: messages[5]?.id ?? "" };
    const other = { ...say(sessionId, `104 ${"z".repeat(900)}`), rollback };
    await readAll(instances[0].client.trigger(other, world.as()));
    await sayAll(world, instances[0], sessionId, 105, 106, 107);
    await sayAll(world, instances[1], sessionId, 108);
    for (const instance of instances) {
      assert.deepEqual(await numbersIn(world, instance, sessionId), [1, 2, 3, 104, 105, 106, 107, 108]);
    }
    const { head } = await world.document(sessionId);
    assert.equal(new Set(head.map(({ gen }) => gen)).size, 2);
  });

  test("rollbacks to a long message do not allow a conversation to pass its limit", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ ...config, maxConversationBytes: 60_000 });
    const sessionId = await openSession(world, instance, demo);
    const send = async (text: string, extra: { rollback?: { afterMessageId: string } } = {}) => {
      await readAll(instance.client.trigger({ ...say(sessionId, text), ...extra }, world.as()));
      return (await messagesOf(world, instance, sessionId)).at(-1)?.id ?? "";
    };
    let longId = await send("y".repeat(15_000));
    for (const n of countTo(3)) {
      for (const m of countTo(4)) await send(`${n} ${m} ${"x".repeat(400)}`);
      longId = await send("y".repeat(15_000), { rollback: { afterMessageId: longId } });
    }
    const { reason } = await refusal(send("one more"));
    assert.equal(reason, Reason.TOO_LARGE);
  });

  test("a rollback of messages that may have been archived without being published requests a sweep", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance(config);
    const sessionId = await openSession(world, instance, demo);
    await sayAll(world, instance, sessionId, 1);
    const [first] = await messagesOf(world, instance, sessionId);
    await readAll(instance.client.trigger(say(sessionId, "2".repeat(2_000)), world.as()));
    assert.equal((await world.document(sessionId)).head[0]?.to, 0);
    const rollback = { afterMessageId: first?.id ?? "" };
    await readAll(instance.client.trigger({ ...say(sessionId, "3"), rollback }, world.as()));
    assert.ok((await world.document(sessionId)).sweepAt !== undefined);
  });

  test("chunks that a rollback has replaced are deleted after an hour, and no others", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ ...config, timings: { sweepEveryMs: 20 } });
    const sessionId = await openSession(world, instance, demo);
    await sayAll(world, instance, sessionId, ...countTo(9));
    const before = await world.chunks.countDocuments();
    const [first] = await messagesOf(world, instance, sessionId);
    const shorter = { ...say(sessionId, "100 again"), rollback: { afterMessageId: first?.id ?? "" } };
    await readAll(instance.client.trigger(shorter, world.as()));
    await sayAll(world, instance, sessionId, 101, 102, 103, 104);
    world.clock.advance(hourMs - 1);
    const { sweepAt } = await world.document(sessionId);
    assert.ok(sweepAt !== undefined && sweepAt.getTime() > world.clock.now());
    assert.ok((await world.chunks.countDocuments()) > before);
    world.clock.advance(1);
    await until("the sweep has ended", async () => (await world.document(sessionId)).sweepAt === undefined);
    const { head } = await world.document(sessionId);
    const [kept, current] = head;
    const left = await world.chunks.find().toArray();
    assert.ok(
      left.every(({ gen, first: at }) => gen === current?.gen || (gen === kept?.gen && at < kept.to)),
    );
    assert.deepEqual(await numbersIn(world, instance, sessionId), [1, 100, 101, 102, 103, 104]);
  });
});

describe("the end of a long conversation", () => {
  test("the chunks of a cleared or expired session are deleted an hour later", async (t) => {
    const world = await startWorld(t);
    const timings = { sweepEveryMs: 20 };
    const instance = await world.addInstance({ ...config, sessionTtlMs: hourMs, timings });
    const [cleared, expired] = [
      await openSession(world, instance, demo),
      await openSession(world, instance, demo),
    ];
    for (const sessionId of [cleared, expired]) await sayAll(world, instance, sessionId, ...countTo(6));
    await instance.client.clearSession({ sessionId: cleared }, world.as());
    assert.deepEqual((await world.document(cleared)).head, []);
    world.clock.advance(hourMs);
    await until("the session is stripped", async () => (await world.document(expired)).status === "expired");
    world.clock.advance(hourMs);
    await until("no chunk is left", async () => (await world.chunks.countDocuments()) === 0);
  });

  test("the state of a session that an earlier release expired is removed, and its chunks an hour later", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ ...config, timings: { sweepEveryMs: 20 } });
    const sessionId = await openSession(world, instance, demo);
    await sayAll(world, instance, sessionId, ...countTo(6));
    const { head, epoch } = await world.document(sessionId);
    assert.ok((head[0]?.to ?? 0) > 0);
    // Writes like releases that kept the conversation in one field.
    const expired = { status: "expired", conversation: null, input: null, expiresAt: null } as const;
    await world.sessions.updateOne({ _id: sessionId }, { $set: expired });
    world.clock.advance(1);
    await until("the state is removed", async () => (await world.document(sessionId)).tail === null);
    const stripped = await world.document(sessionId);
    assert.deepEqual([stripped.memory, stripped.head, stripped.epoch], [null, [], epoch + 1]);
    assert.ok((await world.chunks.countDocuments()) > 0);
    world.clock.advance(hourMs);
    await until("no chunk is left", async () => (await world.chunks.countDocuments()) === 0);
  });

  test("the chunks of a restoration that was not completed are deleted an hour later", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ timings: { sweepEveryMs: 20 } });
    const sessionId = await openSession(world, instance, demo);
    await instance.client.clearSession({ sessionId }, world.as());
    const isSwept = async () => (await world.document(sessionId)).sweepAt === undefined;
    world.clock.advance(hourMs);
    await until("the cleared session is swept", isSwept);
    // Does the same as `restoreSession`, up to the death of its process.
    const { db } = world.sessions;
    const store = createSessionStore(db);
    const histories = createHistories({
      chunks: createChunkStore(db),
      cache: createHistoryCache(1),
      clock: world.clock,
      log: silentLogger,
      newId: createIds(),
      archiveLength: 1_000,
    });
    const key = { projectId, sessionId };
    const messages = countTo(3).map((n) => finished(`kept_${n}`, "x".repeat(60_000)));
    await histories.prepare(key, { messages, variables: {}, resources: {} }, () =>
      store.requestSweep(key, sweepAfter(world.clock.now())),
    );
    assert.equal(await world.chunks.countDocuments(), 3);
    world.clock.advance(hourMs);
    await until("no chunk is left", async () => (await world.chunks.countDocuments()) === 0);
  });

  test("a session restored from thousands of messages shows them, and its next turn continues from them", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, demo);
    await instance.client.clearSession({ sessionId }, world.as());
    const kept = countTo(3_000).map((n) => ({
      id: `kept_${n}`,
      role: "user",
      status: "done",
      createdAt: "2026-01-01T00:00:00.000Z",
      parts: [{ type: "text", text: `${n} ${"x".repeat(100)}`, status: "done" }],
    }));
    const request = { sessionId, messagesJson: JSON.stringify(kept) };
    assert.equal((await instance.client.restoreSession(request, world.as())).restored, true);
    assert.equal((await world.document(sessionId)).tail, "[]");
    await sayAll(world, instance, sessionId, 3_001);
    assert.deepEqual(await numbersIn(world, instance, sessionId), countTo(3_001));
  });
});

describe("the documents of earlier releases", () => {
  /** Never changed: installations contain such documents. */
  const stored = (name: string): SessionDocument => {
    const text = readFileSync(new URL(`support/stored/${name}.json`, import.meta.url), "utf8");
    const { createdAt, updatedAt, ...document } = JSON.parse(text);
    return {
      ...document,
      projectId,
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
      expiresAt: null,
    };
  };

  test("a session that an earlier release stored is read unchanged and moves with its next turn", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Third answer." }] }]);
    const instance = await world.addInstance({ archiveLength: 300 });
    const { _id: sessionId, ...fields } = stored("idle-session");
    await world.sessions.insertOne({ _id: sessionId, ...fields });
    const texts = async () =>
      (await messagesOf(world, instance, sessionId)).map(({ parts }) => parts[0]?.text);
    const before = ["first", "First answer.", "second", "Second answer."];
    assert.deepEqual(await texts(), before);
    await readAll(instance.client.trigger(say(sessionId, "third"), world.as()));
    assert.deepEqual(await texts(), [...before, "third", "Third answer."]);
    const moved = await world.document(sessionId);
    assert.equal("conversation" in moved, false);
    assert.equal(moved.head[0]?.to, 4);
    assert.deepEqual(JSON.parse(moved.memory ?? ""), {
      variables: { MOOD: "calm" },
      resources: { NOTES: "none" },
    });
  });

  test("if an earlier release has restored a session after an update, its messages count and the archived ones do not", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { _id: sessionId, ...fields } = stored("idle-session");
    const left = { head: [{ gen: "gen_1", from: 0, to: 3, bytes: 900 }], tail: "[]", memory: "{}" };
    const input = JSON.stringify(demo);
    await world.sessions.insertOne({ _id: sessionId, ...fields, ...left, input });
    assert.equal((await messagesOf(world, instance, sessionId)).length, 4);
    await readAll(instance.client.trigger(say(sessionId, "third"), world.as()));
    assert.equal((await messagesOf(world, instance, sessionId)).length, 6);
  });

  test("a pause that an earlier release stored accepts its tool results", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "It has left." }] }]);
    const instance = await world.addInstance();
    const { _id: sessionId, ...fields } = stored("paused-session");
    await world.sessions.insertOne({ _id: sessionId, ...fields });
    const request = { ...say(sessionId, "third"), toolResults: [result("call_a", { state: "sent" })] };
    assert.equal(textOf(await readAll(instance.client.trigger(request, world.as()))), "It has left.");
    assert.equal((await messagesOf(world, instance, sessionId)).length, 6);
  });

  test("an old session can be rolled back, cleared and restored", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const { _id: sessionId, ...fields } = stored("idle-session");
    await world.sessions.insertOne({ _id: sessionId, ...fields, input: JSON.stringify(demo) });
    const [first] = await messagesOf(world, instance, sessionId);
    const shorter = { ...say(sessionId, "2"), rollback: { afterMessageId: first?.id ?? "" } };
    await readAll(client.trigger(shorter, world.as()));
    const kept = await messagesOf(world, instance, sessionId);
    assert.equal(kept.length, 3);
    await client.clearSession({ sessionId }, world.as());
    await client.restoreSession({ sessionId, messagesJson: JSON.stringify(kept) }, world.as());
    assert.deepEqual(await messagesOf(world, instance, sessionId), kept);
  });
});
