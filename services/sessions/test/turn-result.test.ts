import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  type Instance,
  messagesOf,
  openSession,
  result,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";

const asks = {
  parts: [{ text: "Let me see." }, { toolCall: { id: "call_a", name: "get-order", arguments: {} } }],
};
const answers = { parts: [{ text: "It has arrived." }] };

type Request = Parameters<Instance["client"]["trigger"]>[0];

/** The results of a stream, with the number of events in their messages. */
async function resultsOf(world: World, { client }: Instance, request: Request) {
  const results = [];
  for await (const { events, result: found } of client.trigger(request, world.as())) {
    if (found !== undefined)
      results.push({ events: events.length, text: found.text, json: found.messageJson });
  }
  return results;
}

describe("the result of a turn", () => {
  test("the last message has the assistant message as a read shows it, when the turn pauses and when it ends", async (t) => {
    const world = await startWorld(t, [asks, answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const request = { ...say(sessionId, "where is 7?"), wantsResult: true };
    const [paused, ...more] = await resultsOf(world, instance, request);
    assert.deepEqual([paused?.events, paused?.text, more], [0, "Let me see.", []]);
    const [, waiting] = await messagesOf(world, instance, sessionId);
    assert.deepEqual([JSON.parse(paused?.json ?? ""), waiting?.status], [waiting, "streaming"]);
    const toolResults = [result("call_a", "arrived")];
    const [done] = await resultsOf(world, instance, { ...request, toolResults });
    const messages = await messagesOf(world, instance, sessionId);
    assert.deepEqual(JSON.parse(done?.json ?? ""), messages[1]);
    assert.equal(done?.text, "Let me see.It has arrived.");
  });

  test("a stream without the wish has no result", async (t) => {
    const world = await startWorld(t, [answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    assert.deepEqual(await resultsOf(world, instance, say(sessionId, "hello")), []);
  });
});
