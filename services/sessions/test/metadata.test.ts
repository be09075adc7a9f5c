import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import { createSessionStore } from "../src/store/session-store.ts";
import {
  type Instance,
  openSession,
  projectId,
  readAll,
  readSession,
  refusal,
  say,
  startWorld,
  textOf,
  type World,
} from "./support/harness.ts";

const tooMany = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key-${index}`, "x"]));

/** Metadata that neither a create nor a change accepts, with the path of its issue. */
const wrong: Array<[text: string, path: string]> = [
  ["{", "metadata"],
  ["[]", "metadata"],
  ['"free"', "metadata"],
  ["null", "metadata"],
  ['{"plan":1}', "metadata.plan"],
  ['{"plan":true}', "metadata.plan"],
  ['{"plan":["free"]}', "metadata.plan"],
  ['{"plan":{"name":"free"}}', "metadata.plan"],
  ['{"":"x"}', "metadata"],
  [JSON.stringify({ ["k".repeat(65)]: "x" }), `metadata.${"k".repeat(65)}`],
  [JSON.stringify({ plan: "x".repeat(513) }), "metadata.plan"],
  ['{"__proto__":"x"}', "metadata"],
  [JSON.stringify(tooMany), "metadata"],
];

async function open(world: World, { client }: Instance, metadata: Record<string, string>): Promise<string> {
  const request = { agentId: "agt_chat", metadataJson: JSON.stringify(metadata) };
  return (await client.createSession(request, world.as())).sessionId;
}

async function metadataOf(world: World, { client }: Instance, sessionId: string): Promise<unknown> {
  const { session } = await readSession(client, { sessionId }, world.as());
  return JSON.parse(session?.metadataJson ?? "");
}

describe("the metadata of a session", () => {
  test("a session returns the metadata that it was created with, whatever its keys are", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const odd = { "a.b": "1", $where: "2", "\u00e9 \u{1f600}": "3", ["k".repeat(64)]: "v".repeat(512) };
    assert.deepEqual(await metadataOf(world, instance, await open(world, instance, odd)), odd);
    assert.deepEqual(await metadataOf(world, instance, await openSession(world, instance, {})), {});
  });

  test("a change sets, replaces and removes keys, and keeps the others", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await open(world, instance, { plan: "free", customer: "c-1", region: "eu" });
    const change = async (changes: object) => {
      const request = { sessionId, metadataJson: JSON.stringify(changes) };
      const { metadataJson } = await instance.client.updateSession(request, world.as());
      assert.deepEqual(await metadataOf(world, instance, sessionId), JSON.parse(metadataJson));
      return JSON.parse(metadataJson);
    };
    const changed = { customer: "c-1", plan: "paid", stage: "won" };
    assert.deepEqual(await change({ plan: "paid", region: null, stage: "won" }), changed);
    assert.deepEqual(await change({}), changed);
    assert.deepEqual(await change({ customer: "", plan: null, stage: "" }), {});
    assert.deepEqual(await change({ plan: "free" }), { plan: "free" });
  });

  test("metadata of a wrong shape is refused with its path, and changes nothing", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await open(world, instance, { plan: "free" });
    const before = await world.document(sessionId);
    for (const [metadataJson, path] of wrong) {
      for (const call of [
        () => client.createSession({ agentId: "agt_chat", metadataJson }, world.as()),
        () => client.updateSession({ sessionId, metadataJson }, world.as()),
      ]) {
        const { reason, issues } = await refusal(call());
        assert.deepEqual([reason, issues[0]?.path.slice(0, 20)], [Reason.INVALID_REQUEST, path.slice(0, 20)]);
      }
    }
    const withNull = client.createSession({ agentId: "agt_chat", metadataJson: '{"plan":null}' }, world.as());
    assert.equal((await refusal(withNull)).reason, Reason.INVALID_REQUEST);
    assert.deepEqual(await world.document(sessionId), before);
    assert.equal(await world.sessions.countDocuments(), 1);
  });

  test("changes cannot add up to more than 16 keys", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { "key-16": _, ...sixteen } = tooMany;
    const sessionId = await open(world, instance, sixteen);
    const change = (changes: object) =>
      instance.client.updateSession({ sessionId, metadataJson: JSON.stringify(changes) }, world.as());
    assert.equal((await refusal(change({ other: "x" }))).issues[0]?.path, "metadata");
    await change({ "key-0": null, other: "x" });
    assert.equal(Object.keys(Object(await metadataOf(world, instance, sessionId))).length, 16);
  });

  test("a change reads nothing of the conversation", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await open(world, instance, { plan: "free" });
    const store = createSessionStore(world.sessions.db);
    assert.deepEqual(await store.findMetadata({ projectId, sessionId }), {
      agentId: "agt_chat",
      status: "active",
      expiresAt: (await world.document(sessionId)).expiresAt,
      metadata: ['["plan","free"]'],
    });
  });

  test("simultaneous changes of different keys are all kept", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, {});
    const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`);
    await Promise.all(
      keys.map((key) =>
        instance.client.updateSession(
          { sessionId, metadataJson: JSON.stringify({ [key]: "x" }) },
          world.as(),
        ),
      ),
    );
    assert.deepEqual(Object.keys(Object(await metadataOf(world, instance, sessionId))).sort(), keys.sort());
  });
});

describe("changing metadata beside other requests", () => {
  test("a change during a turn takes effect at once and does not disturb the turn", async (t) => {
    const open = Promise.withResolvers<void>();
    const parts = [{ text: "one " }, { until: open.promise }, { text: "two" }];
    const world = await startWorld(t, [{ parts }]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const turn = readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    await world.provider.received(1);
    const { epoch } = await world.document(sessionId);
    await instance.client.updateSession({ sessionId, metadataJson: '{"plan":"paid"}' }, world.as());
    assert.equal((await world.document(sessionId)).epoch, epoch);
    assert.deepEqual(await metadataOf(world, instance, sessionId), { plan: "paid" });
    open.resolve();
    assert.equal(textOf(await turn), "one two");
    assert.deepEqual(await metadataOf(world, instance, sessionId), { plan: "paid" });
  });

  test("expired sessions refuse changes and keep their metadata through a restoration", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await open(world, instance, { plan: "free" });
    const change = () => client.updateSession({ sessionId, metadataJson: '{"plan":"paid"}' }, world.as());
    world.clock.advance(24 * 3_600_000);
    assert.equal((await refusal(change())).reason, Reason.SESSION_EXPIRED);
    await client.clearSession({ sessionId }, world.as());
    assert.equal((await refusal(change())).reason, Reason.SESSION_EXPIRED);
    await client.restoreSession({ sessionId, messagesJson: "[]" }, world.as());
    assert.deepEqual(await metadataOf(world, instance, sessionId), { plan: "free" });
  });
});
