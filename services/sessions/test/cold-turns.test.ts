import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { startProxy } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { messagesOf, openSession, readAll, say, startWorld, textOf, type World } from "./support/harness.ts";
import { managed, recent, seed, summarised } from "./support/summarised.ts";

const answer = (text: string): ScriptedStep => ({ parts: [{ text }] });

/** A session whose conversation no instance has in memory, and the number of bytes that an instance reads from the store. */
async function begin(t: TestContext, count: number, answers: string[]) {
  const world = await startWorld(t, answers.map(answer));
  world.agents.set("agt_chat", [managed]);
  const { uri, db, databasePrefix } = world.store;
  const { socketPath, port = 27_017 } = db.client.options.hosts[0] ?? {};
  const proxy = await startProxy(t, socketPath ?? port);
  const [, credentials = ""] = /^mongodb:\/\/([^/?@]*@)?/.exec(uri) ?? [];
  const throughProxy = `mongodb://${credentials}127.0.0.1:${proxy.port}/?directConnection=true`;
  const instance = await world.addInstance({ store: { uri: throughProxy, databasePrefix } });
  const sessionId = await openSession(world, instance);
  await seed(world, sessionId, summarised(count));
  return { world, instance, proxy, sessionId };
}

function promptOf(world: World): string {
  return JSON.stringify(world.provider.requests.at(-1)?.body.messages);
}

describe("a turn on an instance that does not have the conversation in memory", () => {
  test("reads the messages after the latest summary from the store, and none before", async (t) => {
    const readBytes: number[] = [];
    for (const count of [300, 3_000]) {
      const { world, instance, proxy, sessionId } = await begin(t, count, ["Yes."]);
      const before = proxy.sentBytes();
      assert.equal(
        textOf(await readAll(instance.client.trigger(say(sessionId, "Right?"), world.as()))),
        "Yes.",
      );
      readBytes.push(proxy.sentBytes() - before);
      assert.match(promptOf(world), new RegExp(`They count\\..*message ${count - recent},.*Right\\?`, "s"));
      assert.doesNotMatch(promptOf(world), new RegExp(`message ${count - recent - 1},`));
      const { title, messageCount } = await world.document(sessionId);
      assert.deepEqual([title?.slice(0, 10), messageCount], ["message 0,", count + 2]);
      const shown = await messagesOf(world, instance, sessionId);
      assert.deepEqual([shown.length, shown[0]?.parts[0]?.text], [1 + recent + 2, "They count."]);
    }
    const [few = 0, many = 0] = readBytes;
    assert.ok(many < few + 64 * 1024, `${few} bytes of 300 messages, ${many} of 3,000`);
  });

  test("reads the rest too if it rolls back to a message before the summary", async (t) => {
    const { world, instance, sessionId } = await begin(t, 300, ["Four.", "Five."]);
    const rollback = { afterMessageId: "msg_3" };
    const request = { ...say(sessionId, "And now?"), rollback };
    assert.equal(textOf(await readAll(instance.client.trigger(request, world.as()))), "Four.");
    assert.match(promptOf(world), /message 0,.*message 3,.*And now\?/s);
    assert.doesNotMatch(promptOf(world), /message 4,|They count/);
    assert.equal((await world.document(sessionId)).messageCount, 6);
    assert.equal(
      textOf(await readAll(instance.client.trigger(say(sessionId, "Next?"), world.as()))),
      "Five.",
    );
    assert.match(promptOf(world), /message 0,.*Four\..*Next\?/s);
  });
});
