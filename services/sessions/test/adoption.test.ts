import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import {
  addDoomed,
  assertWhole,
  continuing,
  hasText,
  leaseMs,
  openTurn,
  Reader,
  resume,
  startAdoptionWorld,
  survivorTimings,
  typesIn,
} from "./support/adoption-harness.ts";
import { type Instance, readAll, result, say, textOf, type World } from "./support/harness.ts";

const half: ScriptedStep = { parts: [{ text: "Half an ans" }], ending: "hang" };
const whole: ScriptedStep = { parts: [{ text: "Whole." }] };
const plan = (content: string): ScriptedStep => ({
  parts: [
    { text: `${content}. ` },
    {
      toolCall: {
        id: "call_1",
        name: "platform_todo_write",
        arguments: { todos: [{ content, status: "pending" }] },
      },
    },
  ],
});
const lookUp: ScriptedStep = {
  parts: [
    { text: "Looking. " },
    { toolCall: { id: "call_1", name: "get-order", arguments: { number: "7" } } },
  ],
};

/** Some events may be stored, or none; the turn may be stored during its first step, or not. */
const stores = [
  { title: "everything is stored at once", timings: { flushEventsEveryMs: 10, earlySaveMs: 20 } },
  { title: "events are stored at once", timings: { flushEventsEveryMs: 10 } },
  { title: "the turn is stored at once", timings: { flushEventsEveryMs: 3_600_000, earlySaveMs: 20 } },
  { title: "nothing is stored before it must be", timings: { flushEventsEveryMs: 3_600_000 } },
];

/** The turn hangs at its last step. */
const turns: Array<{ title: string; steps: ScriptedStep[]; pauses?: true }> = [
  { title: "in the middle of a text", steps: [half] },
  { title: "in the third step of a loop", steps: [plan("Look"), plan("Leap"), half] },
  { title: "in a continuation after tool results", steps: [lookUp, half], pauses: true },
  { title: "in a later step of a continuation", steps: [lookUp, plan("Look"), half], pauses: true },
];

async function startTurn(world: World, doomed: Instance, pauses: boolean) {
  const { sessionId, reader: first } = await openTurn(world, doomed);
  if (!pauses) return { sessionId, earlier: [], reader: first };
  await first.ended;
  const request = { ...say(sessionId, ""), ...continuing, toolResults: [result("call_1", "shipped")] };
  return { sessionId, earlier: first.seen, reader: new Reader(doomed.client.trigger(request, world.as())) };
}

/** Whatever the timings store, they have stored it. */
async function settled(
  world: World,
  sessionId: string,
  timings: { flushEventsEveryMs: number; earlySaveMs?: number },
) {
  if (timings.earlySaveMs !== undefined) {
    await until(
      "the turn is stored",
      async () => (await world.document(sessionId)).execution?.state === "running",
    );
  }
  if (timings.flushEventsEveryMs < 1_000) {
    await until("the text is stored", async () =>
      (await storedEvents(world).find().toArray()).some(({ events }) => events.includes("Half")),
    );
  }
}

describe("a turn whose process dies", () => {
  for (const { title, steps, pauses = false } of turns) {
    for (const { title: when, timings } of stores) {
      test(`${title}, when ${when}: it continues with one more model call, and every reader has the session's state`, async (t) => {
        const world = await startAdoptionWorld(t, [...steps, whole, { parts: [{ text: "Again." }] }]);
        const doomed = await addDoomed(world, timings);
        const [one, two] = [
          await world.addInstance({ timings: survivorTimings }),
          await world.addInstance({ timings: survivorTimings }),
        ];
        const { sessionId, earlier, reader } = await startTurn(world, doomed, pauses);
        await reader.until(hasText("Half"));
        await settled(world, sessionId, timings);
        const seen = [...reader.seen];
        const ids = { sessionId, executionId: reader.executionId };
        world.clock.advance(leaseMs);
        // At once, from several places.
        const cursors = [0, seen.length, Math.floor(seen.length / 2)];
        const rests = await Promise.all(
          cursors.flatMap((after) => [one, two].map((instance) => resume(world, instance, ids, after))),
        );
        for (const [index, rest] of rests.entries()) {
          const after = cursors[Math.floor(index / 2)] ?? 0;
          await assertWhole(world, one, sessionId, earlier, seen.slice(0, after), rest);
          const known = new Map(seen.map(({ sequence, json }) => [sequence, json]));
          for (const { sequence, json } of rest) assert.equal(known.get(sequence) ?? json, json);
          assert.deepEqual(typesIn(rest).slice(-2), ["persisted", "finish"]);
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
});

function storedEvents(world: World) {
  return world.sessions.db.collection<{ _id: string; first: number; events: string }>("execution_events");
}
