import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { SessionStatus } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import type { ListScope } from "../src/store/session-lists.ts";
import { createSessionStore } from "../src/store/session-store.ts";
import { chat } from "./support/definitions.ts";
import {
  type Instance,
  messagesOf,
  projectId,
  readAll,
  refusal,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";

type Request = Parameters<Instance["client"]["listSessions"]>[0];

const dayMs = 24 * 3_600_000;
const secondMs = 1_000;

async function open(
  world: World,
  { client }: Instance,
  {
    agentId = "agt_chat",
    metadata = {},
    subject,
  }: { agentId?: string; metadata?: object; subject?: string } = {},
): Promise<string> {
  world.clock.advance(secondMs);
  const request = { agentId, metadataJson: JSON.stringify(metadata), ...(subject && { subject }) };
  return (await client.createSession(request, world.as())).sessionId;
}

async function openMany(world: World, instance: Instance, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await open(world, instance));
  return ids;
}

async function list(world: World, { client }: Instance, request: Request = {}, caller: object = {}) {
  const { sessions, nextCursor } = await client.listSessions(request, world.as(caller));
  return { sessions, nextCursor, ids: sessions.map(({ id }) => id) };
}

const withMetadata = (metadata: object) => ({ metadataJson: JSON.stringify(metadata) });

describe("a list of sessions", () => {
  test("the session that changed last is first, and pages follow each other without a gap", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const ids = await openMany(world, instance, 5);
    world.clock.advance(secondMs);
    await readAll(instance.client.trigger(say(ids[1] ?? "", "hello"), world.as()));
    const expected = [ids[1], ids[4], ids[3], ids[2], ids[0]];
    assert.deepEqual((await list(world, instance)).ids, expected);
    const pages: string[][] = [];
    let cursor = "";
    do {
      const page = await list(world, instance, { limit: 2, cursor });
      pages.push(page.ids);
      cursor = page.nextCursor;
    } while (cursor !== "");
    assert.deepEqual(pages, [expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)]);
    assert.equal((await list(world, instance, { limit: 5 })).nextCursor, "");
  });

  test("sessions that changed in the same millisecond all appear, once each", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const ids = await openMany(world, instance, 7);
    await world.sessions.updateMany({}, { $set: { updatedAt: new Date(world.clock.now()) } });
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await list(world, instance, { limit: 2, cursor });
      seen.push(...page.ids);
      cursor = page.nextCursor;
    } while (cursor !== "");
    assert.deepEqual(seen, ids.toSorted().reverse());
  });

  test("a session that changes between two pages neither repeats nor hides others", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const ids = await openMany(world, instance, 6);
    const first = await list(world, instance, { limit: 2 });
    world.clock.advance(secondMs);
    for (const sessionId of [ids[5] ?? "", ids[3] ?? ""]) {
      await instance.client.updateSession({ sessionId, ...withMetadata({ seen: "yes" }) }, world.as());
    }
    const rest = await list(world, instance, { cursor: first.nextCursor });
    assert.deepEqual(
      [first.ids, rest.ids],
      [
        [ids[5], ids[4]],
        [ids[2], ids[1], ids[0]],
      ],
    );
  });

  test("agent, status, subject and metadata filter a list, alone and together", async (t) => {
    const world = await startWorld(t);
    world.agents.set("agt_other", [chat]);
    const instance = await world.addInstance();
    const free = await open(world, instance, { metadata: { plan: "free", region: "eu" }, subject: "u1" });
    const paid = await open(world, instance, { metadata: { plan: "paid", region: "eu" } });
    const other = await open(world, instance, {
      agentId: "agt_other",
      metadata: { plan: "free" },
      subject: "u1",
    });
    const cleared = await open(world, instance, { metadata: { plan: "free", region: "us" } });
    world.clock.advance(secondMs);
    await instance.client.clearSession({ sessionId: cleared }, world.as());
    const { ACTIVE: active, EXPIRED: expired } = SessionStatus;
    const idsOf = async (request: Request) => (await list(world, instance, request)).ids;
    assert.deepEqual(await idsOf({ agentId: "agt_chat" }), [cleared, paid, free]);
    assert.deepEqual(await idsOf({ agentId: "agt_unknown" }), []);
    assert.deepEqual(await idsOf({ status: active }), [other, paid, free]);
    assert.deepEqual(await idsOf({ status: expired }), [cleared]);
    assert.deepEqual(await idsOf(withMetadata({ plan: "free" })), [cleared, other, free]);
    assert.deepEqual(await idsOf(withMetadata({ region: "eu", plan: "free" })), [free]);
    assert.deepEqual(await idsOf(withMetadata({ plan: "Free" })), []);
    assert.deepEqual(await idsOf(withMetadata({ free: "plan" })), []);
    assert.deepEqual(await idsOf({ subject: "u1" }), [other, free]);
    assert.deepEqual(await idsOf({ subject: "u1", agentId: "agt_chat" }), [free]);
    assert.deepEqual(await idsOf({ subject: "u1", ...withMetadata({ region: "eu" }) }), [free]);
    assert.deepEqual(await idsOf({ subject: "U1" }), []);
    const all = { agentId: "agt_chat", status: active, ...withMetadata({ plan: "free" }) };
    assert.deepEqual(await idsOf(all), [free]);
  });

  test("a session expires in a list at the same millisecond as in a read, and keeps its place when it is swept", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const old = await open(world, instance, { metadata: { plan: "free" } });
    await readAll(instance.client.trigger(say(old, "hello"), world.as()));
    world.clock.advance(dayMs - 1);
    const young = await open(world, instance);
    world.clock.advance(-secondMs);
    const statusOf = async () => (await list(world, instance)).sessions.map(({ active }) => active);
    assert.deepEqual(await statusOf(), [true, true]);
    world.clock.advance(1);
    assert.deepEqual(await statusOf(), [true, false]);
    const expired = await list(world, instance, { status: SessionStatus.EXPIRED });
    assert.deepEqual(
      expired.sessions.map(({ id, title, messageCount, metadataJson }) => [
        id,
        title,
        messageCount,
        metadataJson,
      ]),
      [[old, undefined, 0, '{"plan":"free"}']],
    );
    const store = createSessionStore(world.sessions.db);
    const now = new Date(world.clock.now());
    assert.equal(await store.strip({ projectId, sessionId: old }, now, now), true);
    assert.deepEqual((await list(world, instance)).ids, [young, old]);
    assert.equal((await world.document(old)).title, null);
  });
});

describe("the description of a session in a list", () => {
  test("title and message count follow the stored conversation through turns, rollback and restoration", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ archiveLength: 300 });
    const { client } = instance;
    const sessionId = await open(world, instance);
    const outline = async () => {
      const [session] = (await list(world, instance)).sessions;
      const { messageCount, title } = session ?? {};
      assert.equal(messageCount, (await messagesOf(world, instance, sessionId)).length);
      return [title, messageCount];
    };
    assert.deepEqual(await outline(), [undefined, 0]);
    await readAll(client.trigger(say(sessionId, "Where is\norder 7?"), world.as()));
    assert.deepEqual(await outline(), ["Where is order 7?", 2]);
    for (const text of ["two", "three", "four"]) {
      await readAll(client.trigger(say(sessionId, text), world.as()));
    }
    assert.ok(((await world.document(sessionId)).head.at(-1)?.to ?? 0) > 0, "some messages are archived");
    assert.deepEqual(await outline(), ["Where is order 7?", 8]);
    const [, second] = await messagesOf(world, instance, sessionId);
    const shorter = { ...say(sessionId, "again"), rollback: { afterMessageId: second?.id ?? "" } };
    await readAll(client.trigger(shorter, world.as()));
    assert.deepEqual(await outline(), ["Where is order 7?", 4]);
    await readAll(client.trigger({ ...say(sessionId, "anew"), rollback: {} }, world.as()));
    assert.deepEqual(await outline(), ["anew", 2]);
    const messages = await messagesOf(world, instance, sessionId);
    await client.clearSession({ sessionId }, world.as());
    assert.deepEqual((await list(world, instance)).sessions[0]?.title, undefined);
    await client.restoreSession({ sessionId, messagesJson: JSON.stringify(messages) }, world.as());
    assert.deepEqual(await outline(), ["anew", 2]);
  });

  test("a session of an earlier release is listed with its title and its messages", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const stored = JSON.parse(
      readFileSync(new URL("support/stored/idle-session.json", import.meta.url), "utf8"),
    );
    const now = new Date(world.clock.now());
    const dates = { createdAt: now, updatedAt: now, expiresAt: null };
    await world.sessions.insertOne({ ...stored, ...dates });
    const [session] = (await list(world, instance)).sessions;
    assert.deepEqual([session?.title, session?.metadataJson], ["first", "{}"]);
    assert.equal(session?.messageCount, (await messagesOf(world, instance, stored._id)).length);
  });
});

describe("who may list which sessions", () => {
  test("a cursor is refused with other filters, in another project, or if it was made up", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    await openMany(world, instance, 3);
    const { nextCursor: cursor } = await list(world, instance, { limit: 1 });
    const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const [at, id, print] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const wrong: Array<[Request, object?]> = [
      [{ cursor, agentId: "agt_chat" }],
      [{ cursor, status: SessionStatus.ACTIVE }],
      [{ cursor, subject: "u1" }],
      [{ cursor, ...withMetadata({ plan: "free" }) }],
      [{ cursor }, { agentId: "agt_chat" }],
      [{ cursor }, { projectId: "prj_other" }],
      ...["x", "{}", cursor.slice(2), "x".repeat(501), made(null), made({}), made([])].map(
        (text): [Request] => [{ cursor: text }],
      ),
      ...[
        [at, id, "x"],
        [1e300, id, print],
        [9e15, id, print],
        ["1", id, print],
        [at, { $gt: "" }, print],
      ].map((value): [Request] => [{ cursor: made(value) }]),
    ];
    for (const [request, caller] of wrong) {
      const { reason, issues } = await refusal(list(world, instance, request, caller));
      assert.deepEqual(
        [reason, issues[0]?.path],
        [Reason.INVALID_REQUEST, "cursor"],
        JSON.stringify(request),
      );
    }
    assert.equal((await list(world, instance, { cursor, limit: 2 })).ids.length, 2);
  });

  test("limits, agents, statuses and metadata of a wrong shape are refused", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const wrong: Array<[Request, path: string]> = [
      [{ limit: 0 }, "limit"],
      [{ limit: 101 }, "limit"],
      [{ agentId: "" }, "agentId"],
      [{ agentId: "x".repeat(201) }, "agentId"],
      [{ status: JSON.parse("7") }, "status"],
      [{ subject: "" }, "subject"],
      [{ metadataJson: "{" }, "metadata"],
      [withMetadata({ plan: 1 }), "metadata.plan"],
      [withMetadata({ plan: "x".repeat(513) }), "metadata.plan"],
    ];
    for (const [request, path] of wrong) {
      assert.equal((await refusal(list(world, instance, request))).issues[0]?.path, path);
    }
  });
});

describe("the cost of a list", () => {
  test("a page reads no other documents than it returns, whichever index finds them", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    for (let index = 0; index < 12; index++) {
      const metadata = { plan: index % 2 === 0 ? "free" : "paid", region: "eu" };
      await open(world, instance, { metadata, subject: index % 2 === 0 ? "u1" : "u2" });
    }
    const { sessions } = world;
    const last = await list(world, instance, { limit: 3 });
    const after = last.sessions.at(-1);
    const place = {
      _id: after?.id ?? "",
      updatedAt: new Date(Number(after?.updatedAt?.seconds ?? 0n) * 1_000 + 999),
    };
    const scopes: ListScope[] = [
      { projectId },
      { projectId, agentId: "agt_chat" },
      { projectId, agentId: "agt_chat", subject: "u1" },
      { projectId, entry: '["plan","free"]' },
      { projectId, agentId: "agt_chat", entry: '["plan","free"]' },
    ];
    const store = createSessionStore(sessions.db);
    for (const scope of scopes) {
      const { queryPlanner, executionStats } = await store
        .listQuery(scope, place, 3)
        .explain("executionStats");
      const { indexName = "", sorts = false } = queryPlanner.winningPlan;
      const chosen = `${JSON.stringify(scope)}: ${indexName}`;
      assert.deepEqual([executionStats.nReturned, sorts], [3, false], chosen);
      assert.ok(executionStats.totalDocsExamined <= 4, `${chosen}: ${executionStats.totalDocsExamined}`);
    }
  });

  test("a rare match ends the page after 1,000 sessions, and the cursor continues from there", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const rare = await open(world, instance);
    const { _id, ...session } = await world.document(rare);
    const expired = Array.from({ length: 1_200 }, (_, index) => ({
      ...session,
      _id: `ses_${String(index).padStart(5, "0")}`,
      status: "expired" as const,
      updatedAt: new Date(session.updatedAt.getTime() + 1 + index),
    }));
    await world.sessions.insertMany(expired);
    const first = await list(world, instance, { status: SessionStatus.ACTIVE });
    assert.deepEqual([first.ids, first.nextCursor === ""], [[], false]);
    const second = await list(world, instance, { status: SessionStatus.ACTIVE, cursor: first.nextCursor });
    assert.deepEqual([second.ids, second.nextCursor], [[rare], ""]);
  });
});
