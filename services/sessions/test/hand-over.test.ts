import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { Reason, readRpcError } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import {
  assertWhole,
  continuing,
  hasText,
  openTurn,
  Reader,
  resume,
  type Seen,
  startAdoptionWorld,
  survivorTimings,
  typesIn,
} from "./support/adoption-harness.ts";
import { type Instance, messagesOf, readAll, result, say, textOf, type World } from "./support/harness.ts";

const half: ScriptedStep = { parts: [{ text: "Half an ans" }], ending: "hang" };
const whole: ScriptedStep = { parts: [{ text: "Whole." }] };
const plan: ScriptedStep = {
  parts: [
    { text: "Look. " },
    {
      toolCall: {
        id: "call_1",
        name: "platform_todo_write",
        arguments: { todos: [{ content: "Look", status: "pending" }] },
      },
    },
  ],
};
const lookUp: ScriptedStep = {
  parts: [{ toolCall: { id: "call_1", name: "get-order", arguments: { number: "7" } } }],
};

/** An instance whose turns have no time to end when it stops. Its lease could never be renewed, and runs for long. */
function addStopping(world: World, timings: object = {}): Promise<Instance> {
  const hurried = { ...survivorTimings, renewEveryMs: 3_600_000, drainMs: 1, ...timings };
  return world.addInstance({ timings: hurried });
}

const addOther = (world: World) => world.addInstance({ timings: survivorTimings });

/** Stops the instance, and checks that the stream of the turn breaks off instead of ending. */
async function handOver(instance: Instance, reader: Reader): Promise<Seen[]> {
  await instance.stop();
  assert.equal(readRpcError(await reader.ended).reason, Reason.UNAVAILABLE);
  for (const { json } of reader.seen) assert.ok(!["error", "finish"].includes(JSON.parse(json).type));
  return reader.seen;
}

const idsOf = (sessionId: string, { executionId }: Reader) => ({ sessionId, executionId });
const lastOf = (seen: readonly Seen[]) => seen.at(-1)?.sequence ?? 0;

/** Nothing of the turn has reached the collection of events, or all of it. */
const stores = [
  { when: "no event was stored", timings: { flushEventsEveryMs: 3_600_000 } },
  { when: "all events were stored", timings: { flushEventsEveryMs: 10, earlySaveMs: 10 } },
];

const turns: Array<{ title: string; steps: ScriptedStep[]; pauses?: true }> = [
  { title: "in its first step", steps: [half] },
  { title: "in a later step", steps: [plan, half] },
  { title: "in a continuation after tool results", steps: [lookUp, half], pauses: true },
];

describe("a turn that outlasts the stop of its process", () => {
  for (const { title, steps, pauses = false } of turns) {
    for (const { when, timings } of stores) {
      test(`${title}, when ${when}: it continues at once, without a gap, and every reader has the session's state`, async (t) => {
        const world = await startAdoptionWorld(t, [...steps, whole, { parts: [{ text: "Again." }] }]);
        const stopping = await addStopping(world, timings);
        const [one, two] = [await addOther(world), await addOther(world)];
        const first = await openTurn(world, stopping);
        const { sessionId } = first;
        let { reader } = first;
        let earlier: Seen[] = [];
        if (pauses) {
          await reader.ended;
          earlier = reader.seen;
          const toolResults = [result("call_1", "shipped")];
          const request = { ...say(sessionId, ""), ...continuing, toolResults };
          reader = new Reader(stopping.client.trigger(request, world.as()));
        }
        await reader.until(hasText("Half"));
        if (timings.earlySaveMs !== undefined) await areStored(world, reader);
        const seen = await handOver(stopping, reader);
        const cursors = [0, seen.length, Math.floor(seen.length / 2)];
        const rests = await Promise.all(
          cursors.flatMap((after) =>
            [one, two].map((instance) => resume(world, instance, idsOf(sessionId, reader), after)),
          ),
        );
        for (const [index, rest] of rests.entries()) {
          const after = cursors[Math.floor(index / 2)] ?? 0;
          const all = [...seen.slice(0, after), ...rest];
          await assertWhole(world, one, sessionId, earlier, all);
          assert.deepEqual(
            all.map(({ sequence }) => sequence),
            all.map((_, place) => place + 1),
          );
          assert.deepEqual(all.slice(0, seen.length), seen);
          assert.ok(typesIn(rest).includes("step-discard"));
        }
        const { requests } = world.provider;
        assert.equal(requests.length, steps.length + 1);
        assert.deepEqual(requests.at(-1)?.body, requests.at(-2)?.body);
        const next = await readAll(one.client.trigger(say(sessionId, "and now?"), world.as()));
        assert.equal(textOf(next), "Again.");
      });
    }
  }

  test("a reader on another instance continues it without asking again", async (t) => {
    const world = await startAdoptionWorld(t, [half, whole]);
    const stopping = await addStopping(world);
    const other = await addOther(world);
    const { sessionId, reader } = await openTurn(world, stopping);
    await reader.until(hasText("Half"));
    const ids = idsOf(sessionId, reader);
    const joined = new Reader(other.client.resumeExecution({ ...ids, afterSequence: 0 }, world.as()));
    await joined.until(hasText("Half"));
    await handOver(stopping, reader);
    assert.equal(await joined.ended, undefined);
    await assertWhole(world, other, sessionId, [], joined.seen);
  });

  test("it may be handed over any number of times", async (t) => {
    const times = 6;
    const world = await startAdoptionWorld(t, [...Array<ScriptedStep>(times).fill(half), whole]);
    let instance = await addStopping(world);
    const { sessionId, reader: first } = await openTurn(world, instance);
    let reader = first;
    const all: Seen[] = [];
    for (let n = 1; n <= times; n++) {
      await reader.until(hasText("Half"));
      all.push(...(await handOver(instance, reader)));
      instance = n < times ? await addStopping(world) : await addOther(world);
      const place = { ...idsOf(sessionId, first), afterSequence: lastOf(all) };
      reader = new Reader(instance.client.resumeExecution(place, world.as()));
    }
    assert.equal(await reader.ended, undefined);
    all.push(...reader.seen);
    await assertWhole(world, instance, sessionId, [], all);
    assert.equal(all.length, lastOf(all));
  });

  test("if its reader has asked for the result, the reader that continues it receives the whole message", async (t) => {
    const world = await startAdoptionWorld(t, [plan, half, whole]);
    const stopping = await addStopping(world);
    const other = await addOther(world);
    const { sessionId, reader } = await openTurn(world, stopping, { wantsResult: true });
    await reader.until(hasText("Half"));
    const seen = await handOver(stopping, reader);
    const resultMessageId = String(JSON.parse(seen[0]?.json ?? "{}").messageId);
    const place = { ...idsOf(sessionId, reader), afterSequence: lastOf(seen), resultMessageId };
    const results = [];
    for await (const message of other.client.resumeExecution(place, world.as()))
      if (message.result !== undefined) results.push(message.result);
    assert.deepEqual(
      results.map(({ text }) => text),
      ["Look. Whole."],
    );
    const [, answer] = await messagesOf(world, other, sessionId);
    assert.deepEqual(JSON.parse(results[0]?.messageJson ?? ""), answer);
  });

  test("without a reader, its output so far stays, and the next turn ends it", async (t) => {
    const world = await startAdoptionWorld(t, [half, whole]);
    const stopping = await addStopping(world);
    const { sessionId, reader } = await openTurn(world, stopping);
    await reader.until(hasText("Half"));
    await handOver(stopping, reader);
    const other = await addOther(world);
    const [, answer] = await messagesOf(world, other, sessionId);
    assert.match(String(answer?.parts[0]?.text), /^Half/);
    const next = await readAll(other.client.trigger(say(sessionId, "and now?"), world.as()));
    assert.equal(textOf(next), "Whole.");
    const messages = await messagesOf(world, other, sessionId);
    assert.deepEqual(
      messages.map(({ role, status }) => [role, status]),
      [
        ["user", "done"],
        ["assistant", "done"],
        ["user", "done"],
        ["assistant", "done"],
      ],
    );
  });

  test("a turn that was to be cancelled when its process stopped is not continued", async (t) => {
    const world = await startAdoptionWorld(t, [half]);
    const stopping = await addStopping(world);
    const other = await addOther(world);
    const { sessionId, reader } = await openTurn(world, stopping);
    await reader.until(hasText("Half"));
    // Its event is lost, and the holder never renews its lease.
    world.bus.isDeaf = true;
    assert.equal((await other.client.cancelExecution({ sessionId }, world.as())).cancelled, true);
    const seen = await handOver(stopping, reader);
    const rest = await resume(world, other, idsOf(sessionId, reader), lastOf(seen));
    assert.equal(JSON.parse(rest.at(-1)?.json ?? "{}").finishReason, "other");
    assert.ok(world.provider.requests.length <= 2);
  });
});

function areStored(world: World, reader: Reader): Promise<void> {
  const stored = world.sessions.db.collection<{ events: string }>("execution_events");
  return until("the events are stored", async () => {
    const text = (await stored.find().toArray()).map(({ events }) => events).join("");
    return text.includes(reader.seen.at(-1)?.json ?? "");
  });
}
