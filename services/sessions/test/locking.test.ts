import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import fc from "fast-check";
import { describe, test } from "vitest";
import { addDoomed, hasText, leaseMs, Reader } from "./support/adoption-harness.ts";
import {
  type Event,
  messagesOf,
  openSession,
  readAll,
  refusal,
  result,
  say,
  startWorld,
  textOf,
  typesOf,
} from "./support/harness.ts";
import { startChild } from "./support/start-child.ts";

describe("one execution at a time", () => {
  test("a second trigger waits and is then refused as busy, on either instance", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [{ parts: [{ until: hold.promise }, { text: "Done." }] }]);
    const instances = [await world.addInstance(), await world.addInstance()];
    const [first] = instances;
    assert.ok(first);
    const sessionId = await openSession(world, first);
    const running = readAll(first.client.trigger(say(sessionId, "one"), world.as()));
    await world.provider.received(1);
    for (const { client } of instances) {
      const startedMs = performance.now();
      const refused = await refusal(readAll(client.trigger(say(sessionId, "two"), world.as())));
      assert.equal(refused.reason, Reason.SESSION_BUSY);
      assert.ok((refused.retryAfterMs ?? 0) > 0);
      assert.ok(performance.now() - startedMs >= 200);
    }
    hold.resolve();
    assert.equal(textOf(await running), "Done.");
    assert.equal((await messagesOf(world, first, sessionId)).length, 2);
  });

  test("a waiting trigger starts as soon as the first turn ends, on either instance", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [
      { parts: [{ until: hold.promise }, { text: "One." }] },
      { parts: [{ text: "Two." }] },
      { parts: [{ text: "Two." }] },
    ]);
    const timings = { busyWaitMs: 60_000 };
    const [first, second] = [await world.addInstance({ timings }), await world.addInstance({ timings })];
    const sessionId = await openSession(world, first);
    const one = readAll(first.client.trigger(say(sessionId, "one"), world.as()));
    await world.provider.received(1);
    const others = [first, second].map(({ client }) =>
      readAll(client.trigger(say(sessionId, "two"), world.as())),
    );
    hold.resolve();
    assert.deepEqual((await Promise.all([one, ...others])).map(textOf), ["One.", "Two.", "Two."]);
    assert.equal((await messagesOf(world, first, sessionId)).length, 6);
  });

  test("turns never overlap and none is lost, however triggers race on two instances", async (t) => {
    const world = await startWorld(t);
    const timings = { busyWaitMs: 60_000 };
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })] as const;
    const race = fc.array(fc.tuple(fc.nat(1), fc.nat(1), fc.nat(8)), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(race, async (plan) => {
        const ids = [
          await openSession(world, instances[0], {}),
          await openSession(world, instances[1], {}),
        ] as const;
        const texts: string[][] = [[], []];
        await Promise.all(
          plan.map(async ([instance, session, delayMs], n) => {
            await new Promise((resolve) => setTimeout(resolve, delayMs));
            const { client } = instances[instance === 0 ? 0 : 1];
            const id = ids[session === 0 ? 0 : 1];
            await readAll(client.trigger(say(id, `turn-${n}!`), world.as()));
            texts[session]?.push(`turn-${n}!`);
          }),
        );
        for (const [index, id] of ids.entries()) {
          const messages = await messagesOf(world, instances[0], id);
          assert.deepEqual(
            messages.map(({ role }) => role),
            (texts[index] ?? []).flatMap(() => ["user", "assistant"]),
          );
          for (let n = 0; n < messages.length; n += 2) {
            const said = String(messages[n]?.parts[0]?.text);
            assert.match(String(messages[n + 1]?.parts[0]?.text), new RegExp(said));
          }
          const document = await world.document(id);
          assert.deepEqual([document.lease, document.execution], [null, null]);
        }
      }),
      { numRuns: 12 },
    );
  });
});

describe("a holder that has died", () => {
  test("a holder that dies in a long first step leaves the user's message and the output so far", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Half an ans" }], ending: "hang" }]);
    const survivor = await world.addInstance();
    const sessionId = await openSession(world, survivor);
    // The text must arrive before the only early save, also on a busy machine.
    const doomed = await addDoomed(world, { earlySaveMs: 4_000 });
    await new Reader(doomed.client.trigger(say(sessionId, "one"), world.as())).until(hasText("Half"));
    await until("the output is saved", async () =>
      JSON.stringify(await messagesOf(world, survivor, sessionId)).includes("Half"),
    );
    world.clock.advance(leaseMs);
    const [question, answer] = await messagesOf(world, survivor, sessionId);
    assert.equal(question?.parts[0]?.text, "one");
    assert.match(String(answer?.parts[0]?.text), /^Half/);
    assert.deepEqual([answer?.status, answer?.parts[0]?.status], ["done", "done"]);
  });

  test("a session whose holder was killed is free at once if no other instance can exist", async (t) => {
    const world = await startWorld(t, [
      { parts: [{ text: "Half an ans" }], ending: "hang" },
      { parts: [{ text: "Whole." }] },
    ]);
    const first = await world.addInstance();
    const sessionId = await openSession(world, first);
    const child = await startChild(world, 60_000);
    const failure = assert.rejects(readAll(child.client.trigger(say(sessionId, "one"), world.as())));
    await world.provider.received(1);
    child.kill();
    await failure;
    const next = await world.addInstance({ onlyInstance: true });
    const events = await readAll(next.client.trigger(say(sessionId, "two"), world.as()));
    assert.equal(textOf(events), "Whole.");
  });

  test("a holder that dies after tool results leaves no call open, for its readers and for the next trigger", async (t) => {
    const world = await startWorld(t, [
      { parts: [{ toolCall: { id: "call_a", name: "get-order", arguments: { number: "7" } } }] },
      { parts: [{ text: "Half" }], ending: "hang" },
      { parts: [{ text: "Whole." }] },
    ]);
    const survivor = await world.addInstance();
    const sessionId = await openSession(world, survivor);
    await readAll(survivor.client.trigger(say(sessionId, "one"), world.as()));
    const doomed = await addDoomed(world, { earlySaveMs: 20 });
    const request = { ...say(sessionId, "one"), toolResults: [result("call_a", "arrived")] };
    const cut = new Reader(doomed.client.trigger(request, world.as()));
    await cut.until(hasText("Half"));
    await until(
      "the turn is saved",
      async () => (await world.document(sessionId)).execution?.state === "running",
    );
    world.clock.advance(leaseMs);
    assert.equal((await messagesOf(world, survivor, sessionId))[1]?.status, "done");
    await readAll(survivor.client.trigger(say(sessionId, "two"), world.as()));
    const messages = await messagesOf(world, survivor, sessionId);
    const calls = messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "tool-call");
    assert.deepEqual(
      calls.map(({ status }) => status),
      ["done"],
    );
    assert.ok(messages.every(({ status }) => status === "done"));
  });

  test("a holder that was cut off writes nothing after another has taken over, and reports it", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [
      { parts: [{ until: hold.promise }, { text: "Stale." }] },
      { parts: [{ text: "Fresh." }] },
    ]);
    const [first, second] = [await world.addInstance(), await world.addInstance()];
    const sessionId = await openSession(world, first);
    const stale = readAll(first.client.trigger(say(sessionId, "one"), world.as()));
    await world.provider.received(1);
    world.clock.advance(15_000);
    assert.equal(textOf(await readAll(second.client.trigger(say(sessionId, "two"), world.as()))), "Fresh.");
    const after = await world.document(sessionId);
    hold.resolve();
    const events = await stale;
    assertClosed(events);
    assert.equal(events.at(-1)?.type, "error");
    assert.deepEqual([events.at(-1)?.source, events.at(-1)?.retryable], ["platform", true]);
    assert.ok(!typesOf(events).includes("finish"));
    assert.deepEqual(await world.document(sessionId), after);
  });

  test("a holder that is suspended for ten seconds keeps its session, and the others find it busy", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [{ parts: [{ until: hold.promise }, { text: "Done." }] }]);
    const [first, second] = [await world.addInstance(), await world.addInstance()];
    const sessionId = await openSession(world, first);
    const running = readAll(first.client.trigger(say(sessionId, "one"), world.as()));
    await world.provider.received(1);
    world.clock.advance(10_000);
    const refused = await refusal(readAll(second.client.trigger(say(sessionId, "two"), world.as())));
    assert.equal(refused.reason, Reason.SESSION_BUSY);
    hold.resolve();
    const events = await running;
    assert.deepEqual([textOf(events), events.at(-1)?.type], ["Done.", "finish"]);
  });

  test("a process that was suspended for longer than its leases does not take its own sessions over", async (t) => {
    for (const onlyInstance of [false, true]) {
      const hold = Promise.withResolvers<void>();
      const world = await startWorld(t, [
        { parts: [{ text: "So far. " }, { until: hold.promise }, { text: "Done." }] },
      ]);
      const instance = await world.addInstance({ onlyInstance, timings: { earlySaveMs: 0 } });
      const sessionId = await openSession(world, instance);
      const running = readAll(instance.client.trigger(say(sessionId, "one"), world.as()));
      await until("the turn is saved", async () => (await world.document(sessionId)).execution !== null);
      world.clock.advance(60_000);
      const refused = await refusal(readAll(instance.client.trigger(say(sessionId, "two"), world.as())));
      assert.equal(refused.reason, Reason.SESSION_BUSY);
      assert.equal((await messagesOf(world, instance, sessionId)).at(-1)?.status, "streaming");
      hold.resolve();
      const events = await running;
      assert.deepEqual([textOf(events), events.at(-1)?.type], ["So far. Done.", "finish"]);
      assert.equal((await messagesOf(world, instance, sessionId)).length, 2);
    }
  });

  test("a holder that renews its lease keeps its session", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [{ parts: [{ until: hold.promise }, { text: "Slow." }] }]);
    const timings = { leaseMs: 10_000, renewEveryMs: 20 };
    const [first, second] = [await world.addInstance({ timings }), await world.addInstance({ timings })];
    const sessionId = await openSession(world, first);
    const slow = readAll(first.client.trigger(say(sessionId, "one"), world.as()));
    await world.provider.received(1);
    for (const _ of [1, 2, 3]) {
      const { lease } = await world.document(sessionId);
      world.clock.advance(9_000);
      await until("the lease is renewed", async () => {
        const now = (await world.document(sessionId)).lease;
        return (now?.until.getTime() ?? 0) > (lease?.until.getTime() ?? 0);
      });
    }
    const refused = await refusal(readAll(second.client.trigger(say(sessionId, "two"), world.as())));
    assert.equal(refused.reason, Reason.SESSION_BUSY);
    hold.resolve();
    assert.equal(textOf(await slow), "Slow.");
  });
});

/** Checks that every start has its end. */
function assertClosed(events: readonly Event[]): void {
  const open = new Set<unknown>();
  for (const { type, id, blockId } of events) {
    if (type.endsWith("-start") && type !== "step-start") open.add(id ?? blockId);
    if (type.endsWith("-end")) assert.ok(open.delete(id ?? blockId), `${type} without a start`);
  }
  assert.equal(open.size, 0, "something was not closed");
}
