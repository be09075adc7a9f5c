import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import {
  type Instance,
  messagesOf,
  openSession,
  readAll,
  refusal,
  result,
  say,
  startWorld,
  textOf,
  typesOf,
  type World,
} from "./support/harness.ts";

const asksForOrder = {
  parts: [{ toolCall: { id: "call_a", name: "get-order", arguments: { number: "7" } } }],
};
const asksTwice = {
  parts: [
    {
      toolCalls: [
        { id: "call_a", name: "get-order", arguments: { number: "7" } },
        { id: "call_b", name: "send-mail", arguments: { to: "ada" } },
      ],
    },
  ],
};
const answers = { parts: [{ text: "It has arrived." }] };

describe("a turn that waits for tools", () => {
  test("a turn that waits for tools ends with tool-request and finish, and continues with the results", async (t) => {
    const world = await startWorld(t, [asksForOrder, answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const paused = await readAll(instance.client.trigger(say(sessionId, "where is 7?"), world.as()));
    assert.deepEqual(typesOf(paused).slice(-3), ["persisted", "tool-request", "finish"]);
    assert.equal(paused.at(-1)?.finishReason, "tool-calls");
    const [, waiting] = await messagesOf(world, instance, sessionId);
    assert.equal(waiting?.status, "streaming");
    assert.equal(waiting?.parts.at(-1)?.status, "running");
    const again = {
      ...say(sessionId, "where is 7?"),
      toolResults: [result("call_a", "arrived", "get-order")],
    };
    const done = await readAll(instance.client.trigger(again, world.as()));
    assert.equal(textOf(done), "It has arrived.");
    assert.equal(done.at(-1)?.finishReason, "stop");
    const messages = await messagesOf(world, instance, sessionId);
    assert.equal(messages.length, 2);
    assert.equal(messages[1]?.status, "done");
    const sent = JSON.stringify(world.provider.requests[1]?.body);
    assert.match(sent, /arrived/);
  });

  test("a paused turn continues by execution id on another instance after the first one died", async (t) => {
    const world = await startWorld(t, [asksForOrder, answers]);
    const first = await world.addInstance();
    const sessionId = await openSession(world, first);
    const paused = await readAll(first.client.trigger(say(sessionId, "hi"), world.as()));
    await first.stop();
    const second = await world.addInstance();
    const executionId = String(paused[0]?.executionId);
    const request = { sessionId, executionId, toolResults: [result("call_a", { eta: null })] };
    const done = await readAll(second.client.trigger(request, world.as()));
    assert.equal(textOf(done), "It has arrived.");
    assert.equal(done[0]?.executionId, executionId);
  });

  test("a result without a value is null, for the model and for clients", async (t) => {
    const world = await startWorld(t, [asksForOrder, answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const nothing = { toolCallId: "call_a", toolName: "get-order" };
    const done = await readAll(
      instance.client.trigger({ ...say(sessionId, "hi"), toolResults: [nothing] }, world.as()),
    );
    assert.deepEqual(
      done.filter(({ type }) => type.startsWith("tool-output")),
      [{ type: "tool-output-available", toolCallId: "call_a", output: null }],
    );
    assert.equal(textOf(done), "It has arrived.");
  });

  test("the outputs of two tools of one step are reported once each, in the pause and the continuation together", async (t) => {
    const world = await startWorld(t, [asksTwice, answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const paused = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const toolResults = [result("call_b", true), result("call_a", "arrived")];
    const done = await readAll(instance.client.trigger({ ...say(sessionId, "hi"), toolResults }, world.as()));
    const outputs = [...paused, ...done].filter(({ type }) => type.startsWith("tool-output"));
    assert.deepEqual(outputs.map(({ type, toolCallId }) => [type, toolCallId]).sort(), [
      ["tool-output-available", "call_a"],
      ["tool-output-available", "call_b"],
    ]);
  });

  test("a continued turn cancels the calls without a result", async (t) => {
    const world = await startWorld(t, [asksTwice, answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const request = { ...say(sessionId, "hi"), toolResults: [result("call_b", true)] };
    await readAll(instance.client.trigger(request, world.as()));
    const [, answer] = await messagesOf(world, instance, sessionId);
    const calls = answer?.parts.filter(({ type }) => type === "tool-call") ?? [];
    assert.deepEqual(
      calls.map(({ toolCallId, status }) => [toolCallId, status]),
      [
        ["call_a", "cancelled"],
        ["call_b", "done"],
      ],
    );
  });

  test("a new trigger drops a paused turn and cancels its calls", async (t) => {
    const world = await startWorld(t, [asksForOrder, answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    await readAll(instance.client.trigger(say(sessionId, "never mind"), world.as()));
    const messages = await messagesOf(world, instance, sessionId);
    assert.deepEqual(
      messages.map(({ role, status }) => [role, status]),
      [
        ["user", "done"],
        ["assistant", "done"],
        ["user", "done"],
        ["assistant", "done"],
      ],
    );
    assert.equal(messages[1]?.parts.at(-1)?.status, "cancelled");
    const late = { ...say(sessionId, "hi"), toolResults: [result("call_a", 1)] };
    const refused = await refusal(readAll(instance.client.trigger(late, world.as())));
    assert.equal(refused.reason, Reason.UNKNOWN_TOOL_CALL);
  });

  test("a paused turn refuses results of other calls and tools, and keeps waiting", async (t) => {
    const world = await startWorld(t, [asksForOrder, answers]);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await openSession(world, instance);
    await readAll(client.trigger(say(sessionId, "hi"), world.as()));
    const send = (request: object) =>
      refusal(readAll(client.trigger({ ...say(sessionId, "hi"), ...request }, world.as())));
    const cases: Array<[object, Reason]> = [
      [{ toolResults: [result("call_z", 1)] }, Reason.UNKNOWN_TOOL_CALL],
      [{ toolResults: [result("call_a", 1), result("call_z", 1)] }, Reason.UNKNOWN_TOOL_CALL],
      [{ toolResults: [result("call_a", 1)], executionId: "exe_other" }, Reason.UNKNOWN_TOOL_CALL],
      [{ toolResults: [result("call_a", 1, "send-mail")] }, Reason.INVALID_REQUEST],
      [{ toolResults: [result("call_a", 1), result("call_a", 2)] }, Reason.INVALID_REQUEST],
      [{ toolResults: [result("call_a", 1)], triggerName: "greet" }, Reason.INVALID_REQUEST],
      [{ toolResults: [result("call_a", 1)], rollback: {} }, Reason.INVALID_REQUEST],
    ];
    for (const [request, reason] of cases) assert.equal((await send(request)).reason, reason);
    const good = { ...say(sessionId, "hi"), toolResults: [result("call_a", 1)] };
    assert.equal((await readAll(client.trigger(good, world.as()))).at(-1)?.type, "finish");
  });

  test("a paused turn accepts an error instead of a result, and values that a document store would misread", async (t) => {
    const world = await startWorld(t, [asksTwice, answers]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const awkward = {
      "a.b": 1,
      $set: { $ref: "x", $id: "y" },
      "\u0000": "\ud800",
      _bsontype: "ObjectId",
      n: 2 ** 60,
    };
    const failed = { toolCallId: "call_b", outcome: { case: "error" as const, value: "no such person" } };
    const request = { ...say(sessionId, "hi"), toolResults: [result("call_a", awkward), failed] };
    await readAll(instance.client.trigger(request, world.as()));
    const stored = JSON.parse((await world.document(sessionId)).tail ?? "");
    const calls = stored[1].parts.filter(({ type }: { type: string }) => type === "tool-call");
    assert.deepEqual(calls[0].result, awkward);
    assert.equal(calls[1].error, "no such person");
  });
});

describe("the same results sent many times at once", () => {
  test("the same results sent many times at once run the continuation once, across two instances", async (t) => {
    const world = await startWorld(t, [asksForOrder, answers]);
    const instances = [await world.addInstance(), await world.addInstance()] as const;
    const sessionId = await openSession(world, instances[0]);
    await readAll(instances[0].client.trigger(say(sessionId, "hi"), world.as()));
    const send = async ({ client }: Instance) => {
      const request = { ...say(sessionId, "hi"), toolResults: [result("call_a", "x")] };
      try {
        return textOf(await readAll(client.trigger(request, world.as())));
      } catch {
        return "refused";
      }
    };
    const outcomes = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => send(instances[n % 2 === 0 ? 0 : 1])));
    assert.deepEqual(
      outcomes.filter((outcome) => outcome !== "refused"),
      ["It has arrived."],
    );
    assert.equal(world.provider.requests.length, 2);
    await assertUsable(world, instances[1], sessionId);
  });
});

async function assertUsable(world: World, instance: Instance, sessionId: string): Promise<void> {
  world.provider.add({ parts: [{ text: "Fine." }] });
  assert.equal(textOf(await readAll(instance.client.trigger(say(sessionId, "ok?"), world.as()))), "Fine.");
}
