import assert from "node:assert/strict";
import type { UiMessage } from "@muster/client";
import { foldEvents } from "@muster/client/fold";
import { View } from "@muster/proto/sessions";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { hasText, Reader } from "./support/adoption-harness.ts";
import { asStreamEvent, asUiMessage, comparable } from "./support/folding.ts";
import {
  type Instance,
  readAll,
  readSession,
  say,
  startWorld,
  textOf,
  type World,
} from "./support/harness.ts";
import { Turn } from "./support/kills/turn.ts";
import { startChild } from "./support/start-child.ts";
import { addFinders, answerAll, openFinders } from "./support/worker-talk.ts";

/** Both workers have sent half of their text, and their providers are silent. */
async function startHanging(t: TestContext) {
  const world = await startWorld(t);
  addFinders(world);
  answerAll(world, (topic) => ({ parts: [{ text: `Half the ${topic}` }], ending: "hang" }));
  const instance = await world.addInstance();
  const sessionId = await openFinders(world, instance);
  const leaving = new AbortController();
  const options = world.as({}, { signal: leaving.signal });
  const reader = new Reader(instance.client.trigger(say(sessionId, "Both"), options));
  await reader.until((seen) => ["owls", "bats"].every((topic) => hasText(`"${topic}"`)(seen)));
  return { world, instance, sessionId, reader, leave: () => leaving.abort() };
}

async function messagesIn(
  world: World,
  { client }: Pick<Instance, "client">,
  sessionId: string,
  view: View = View.UI,
) {
  const { messages } = await readSession(client, { sessionId, view }, world.as());
  return comparable(messages.map(asUiMessage));
}

function cardsIn(messages: readonly UiMessage[]) {
  const parts = messages.findLast(({ role }) => role === "assistant")?.parts ?? [];
  return parts.flatMap((part) => (part.type === "worker" ? part : []));
}

async function assertStopped(world: World, instance: Instance, sessionId: string): Promise<UiMessage[]> {
  await Promise.all(world.provider.requests.slice(1).map((request) => request.clientGone));
  assert.equal(world.provider.requests.length, 3);
  await until("the session is free", async () => (await world.document(sessionId)).lease === null);
  const messages = await messagesIn(world, instance, sessionId);
  assert.deepEqual(
    cardsIn(messages).map(({ workerSlug, status }) => `${workerSlug} ${status}`),
    ["find-owls cancelled", "find-bats cancelled"],
  );
  assert.deepEqual(await messagesIn(world, instance, sessionId, View.FULL), messages);
  return messages;
}

async function assertUsable(world: World, { client }: Instance, sessionId: string): Promise<void> {
  const events = await readAll(client.trigger(say(sessionId, "Fine?"), world.as()));
  assert.deepEqual([textOf(events), events.at(-1)?.finishReason], ["Fine.", "stop"]);
}

describe("a turn that is stopped while its workers run", () => {
  for (const where of ["the same instance", "another instance"]) {
    test(`cancelling on ${where} aborts the calls of all workers, cancels their cards and finishes the stream`, async (t) => {
      const { world, instance, sessionId, reader } = await startHanging(t);
      const { client } = where === "the same instance" ? instance : await world.addInstance();
      assert.equal((await client.cancelExecution({ sessionId }, world.as())).cancelled, true);
      assert.equal(await reader.ended, undefined);
      const events = reader.seen.map(({ json }) => asStreamEvent(JSON.parse(json)));
      const last = events.at(-1);
      assert.ok(last?.type === "finish" && last.finishReason === "other");
      const messages = await assertStopped(world, instance, sessionId);
      assert.deepEqual(comparable(foldEvents(events, { view: "stored" })), messages);
      await assertUsable(world, instance, sessionId);
    });
  }

  test("a caller that leaves ends all workers and their model calls, and the next turn works", async (t) => {
    const { world, instance, sessionId, leave } = await startHanging(t);
    leave();
    await assertStopped(world, instance, sessionId);
    await assertUsable(world, instance, sessionId);
  });
});

describe("a process that is killed while workers run", () => {
  test("another process finishes the whole tree: no tool runs twice, and the events add up to the session", async (t) => {
    const world = await startWorld(t);
    addFinders(world);
    const killed = Promise.withResolvers<void>();
    const asked: string[] = [];
    answerAll(world, (topic, messages) => {
      const isFirst = !messages.includes('"tool"');
      asked.push(`${topic} ${isFirst ? "first" : "second"}`);
      if (isFirst) return { parts: [{ toolCall: { name: "look-up", arguments: {} } }] };
      return { parts: [{ text: `Half the ${topic}` }, { until: killed.promise }, { text: ", and half." }] };
    });
    const leaseMs = 600_000;
    const survivor = await world.addInstance({
      timings: { flushEventsEveryMs: 10, pollEventsEveryMs: 10, leaseMs },
    });
    const child = await startChild(world, leaseMs);
    t.onTestFinished(() => child.kill());
    const sessionId = await openFinders(world, survivor);
    const turn = new Turn(sessionId, "Both", () => world.as());
    let isKilled = false;
    const run = turn.run(child.client, async () => {
      const text = JSON.stringify(turn.streams.at(-1));
      if (isKilled || turn.streams.length < 2 || !text.includes('"owls"') || !text.includes('"bats"')) return;
      isKilled = true;
      child.kill();
    });
    await assert.rejects(run);
    assert.ok(isKilled);
    killed.resolve();
    await child.exited;
    await world.sessions.updateMany(
      { _id: sessionId, lease: { $ne: null } },
      { $set: { "lease.until": new Date(0) } },
    );
    await turn.resume(survivor.client, "cursor", async () => undefined);
    assert.deepEqual(turn.executed, ["look-up", "look-up"]);
    assert.deepEqual(asked.toSorted(), [
      ...["bats first", "bats second", "bats second"],
      ...["owls first", "owls second", "owls second"],
    ]);
    const messages = await messagesIn(world, survivor, sessionId);
    assert.deepEqual(comparable(foldEvents(turn.streams.flat(), { view: "stored" })), messages);
    assert.deepEqual(
      cardsIn(messages).map(({ status, output }) => [status, output]),
      [
        ["done", "Half the owls, and half."],
        ["done", "Half the bats, and half."],
      ],
    );
    await assertUsable(world, survivor, sessionId);
  });
});
