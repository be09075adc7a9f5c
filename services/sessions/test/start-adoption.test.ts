import assert from "node:assert/strict";
import { Collection } from "mongodb";
import { test, vi } from "vitest";
import { addDoomed, hasText, Reader, startAdoptionWorld } from "./support/adoption-harness.ts";
import { type Event, messagesOf, readAll, say, startWorld, textOf, type World } from "./support/harness.ts";
import { all, readStart, scripted, skipEmpty, startSaying } from "./support/starting.ts";

const timings = { flushEventsEveryMs: 10, pollEventsEveryMs: 10 };

/** Reads up to the first text, which is never stored. */
async function startAndDie(world: World, request: object): Promise<Event[]> {
  const doomed = await addDoomed(world, { flushEventsEveryMs: 3_600_000 });
  const reader = await new Reader(doomed.client.startSession(request, world.as())).until(
    hasText("text-delta"),
  );
  world.clock.advance(3_600_000);
  return reader.seen.map(({ json }) => JSON.parse(json));
}

test("a first turn whose process dies before anything is stored continues in a repeat of its start", async (t) => {
  const world = await startWorld(t, [
    { parts: [{ text: "Half" }], ending: "hang" },
    { parts: [{ text: "The whole answer." }] },
  ]);
  const other = await world.addInstance({ timings });
  const request = startSaying("hi", {}, { ...scripted, idempotencyKey: "k" });
  const seen = await startAndDie(world, request);
  const { json, session, numbers } = await readStart(other, world, request);
  assert.deepEqual([session?.replayed, session?.eventsGone], [true, false]);
  assert.equal(session?.sessionId, seen[0]?.sessionId);
  assert.equal(json[0], JSON.stringify(seen[0]));
  // Numbers that were only ever in the dead process's memory are not used again.
  assert.ok(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)));
  assert.match(json.at(-1) ?? "", /"finishReason":"stop"/);
  const [, answer] = await messagesOf(world, other, session?.sessionId ?? "");
  assert.equal(answer?.parts[0]?.text, "The whole answer.");
  assert.equal(world.provider.requests.length, 2);
  assert.deepEqual((await readStart(other, world, request)).json, json);
});

test("a first turn whose process dies continues for a reader who resumes it", async (t) => {
  const world = await startWorld(t, [
    { parts: [{ text: "Half" }], ending: "hang" },
    { parts: [{ text: "The whole answer." }] },
  ]);
  const other = await world.addInstance({ timings });
  const seen = await startAndDie(world, startSaying("hi", {}, scripted));
  const ids = { sessionId: String(seen[0]?.sessionId), executionId: String(seen[0]?.executionId) };
  const call = other.client.resumeExecution({ ...ids, afterSequence: seen.length }, world.as());
  const rest = (await all(skipEmpty(call))).flatMap((message) => message.events);
  assert.ok((rest[0]?.sequence ?? 0) > seen.length);
  assert.ok(rest.some(({ type }) => type === "step-discard"));
  assert.match(rest.at(-1)?.json ?? "", /"finishReason":"stop"/);
  world.provider.add({ parts: [{ text: "Fine." }] });
  assert.equal(textOf(await readAll(other.client.trigger(say(ids.sessionId, "ok?"), world.as()))), "Fine.");
});

test("a first turn of more than 1 MiB whose process stops before anything is stored continues in a repeat of its start", async (t) => {
  const world = await startAdoptionWorld(t, [{ parts: [{ text: "The whole answer." }] }]);
  const doomed = await addDoomed(world);
  const other = await world.addInstance({ timings });
  const request = startSaying("x", {}, { ...scripted, idempotencyKey: "k" });
  request.trigger = { triggerName: "say", inputJson: JSON.stringify({ TEXT: "long ".repeat(300_000) }) };
  // Its first write never arrives.
  const frozen = Promise.withResolvers<void>();
  const lost = { acknowledged: true, matchedCount: 0, modifiedCount: 0, upsertedCount: 0, upsertedId: null };
  vi.spyOn(Collection.prototype, "updateOne").mockImplementationOnce(() => frozen.promise.then(() => lost));
  t.onTestFinished(() => {
    frozen.resolve();
    vi.restoreAllMocks();
  });
  const reader = new Reader(doomed.client.startSession(request, world.as()));
  await reader.until(hasText('"start"'));
  world.clock.advance(3_600_000);
  const { json, session } = await readStart(other, world, request);
  assert.deepEqual([session?.replayed, session?.eventsGone], [true, false]);
  assert.equal(json[0], reader.seen[0]?.json);
  assert.match(json.at(-1) ?? "", /"finishReason":"stop"/);
  const [, answer] = await messagesOf(world, other, session?.sessionId ?? "");
  assert.equal(answer?.parts[0]?.text, "The whole answer.");
  assert.equal(world.provider.requests.length, 1);
  assert.deepEqual((await readStart(other, world, request)).json, json);
  frozen.resolve();
  await reader.ended;
});
