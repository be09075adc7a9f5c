import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { TriggerRequestSchema } from "@muster/proto/sessions";
import { Reason, readRpcError } from "@muster/rpc";
import fc from "fast-check";
import { test } from "vitest";
import { messagesOf, openSession, readAll, refusal, result, say, startWorld } from "./support/harness.ts";

test("a refused trigger leaves the session unchanged except for the epoch", async (t) => {
  const world = await startWorld(t);
  const instance = await world.addInstance();
  const { client } = instance;
  const sessionId = await openSession(world, instance, {});
  const unrunnable = await openSession(world, instance, { MODEL: "anthropic/claude" });
  await readAll(client.trigger(say(sessionId, "one"), world.as()));
  const tool = { name: "extra", description: "", inputSchemaJson: "{}" };
  const cases: Array<[object, Reason]> = [
    [{ ...say(sessionId, "hi"), triggerName: "no-such" }, Reason.UNKNOWN_TRIGGER],
    [{ ...say(sessionId, "hi"), triggerName: "constructor" }, Reason.UNKNOWN_TRIGGER],
    [{ ...say(sessionId, "hi"), triggerName: "" }, Reason.UNKNOWN_TRIGGER],
    [{ ...say(sessionId, "hi"), inputJson: "" }, Reason.INVALID_INPUT],
    [{ ...say(sessionId, "hi"), inputJson: '{"TEXT":7}' }, Reason.INVALID_INPUT],
    [{ ...say(sessionId, "hi"), inputJson: "nonsense" }, Reason.INVALID_REQUEST],
    [
      { ...say(sessionId, "hi"), inputJson: `{"TEXT":${"[".repeat(1e5)}${"]".repeat(1e5)}}` },
      Reason.INVALID_REQUEST,
    ],
    [{ ...say(sessionId, "hi"), rollback: { afterMessageId: "msg_none" } }, Reason.UNKNOWN_MESSAGE],
    [{ ...say(sessionId, "hi"), dynamicTools: [{ ...tool, name: "get-order" }] }, Reason.INVALID_REQUEST],
    [{ ...say(sessionId, "hi"), dynamicTools: [{ ...tool, name: "a b" }] }, Reason.INVALID_REQUEST],
    [{ ...say(sessionId, "hi"), dynamicTools: [tool, tool] }, Reason.INVALID_REQUEST],
    [{ ...say(sessionId, "hi"), dynamicTools: Array(65).fill(tool) }, Reason.INVALID_REQUEST],
    [
      {
        ...say(sessionId, "hi"),
        dynamicTools: [{ ...tool, inputSchemaJson: `{"a":"${"x".repeat(33_000)}"}` }],
      },
      Reason.INVALID_REQUEST,
    ],
    [{ ...say(sessionId, "hi"), sender: { name: "x".repeat(201) } }, Reason.INVALID_REQUEST],
    [{ ...say(sessionId, "hi"), onDisconnect: 9 }, Reason.INVALID_REQUEST],
    [{ ...say(sessionId, "hi"), toolResults: [{ toolCallId: "call_1" }] }, Reason.UNKNOWN_TOOL_CALL],
    [{ ...say(sessionId, "hi"), toolResults: [result("", 1)] }, Reason.INVALID_REQUEST],
    [{ sessionId, executionId: "exe_none" }, Reason.UNKNOWN_TOOL_CALL],
    [say(unrunnable, "hi"), Reason.MODEL_NOT_RUNNABLE],
    [say("ses_nothing", "hi"), Reason.NOT_FOUND],
    [say("", "hi"), Reason.INVALID_REQUEST],
    [say("x".repeat(201), "hi"), Reason.INVALID_REQUEST],
  ];
  for (const [request, reason] of cases) {
    const before = [await world.document(sessionId), await world.document(unrunnable)];
    const refused = await refusal(readAll(client.trigger(request, world.as())));
    assert.equal(refused.reason, reason, JSON.stringify(request).slice(0, 200));
    const after = [await world.document(sessionId), await world.document(unrunnable)];
    const withoutEpoch = ({ epoch, ...rest }: (typeof after)[number]) => rest;
    assert.deepEqual(after.map(withoutEpoch), before.map(withoutEpoch));
  }
});

test("a trigger accepts at most 512 tools of its caller with 1 MiB in total", async (t) => {
  const world = await startWorld(t);
  const instance = await world.addInstance();
  const sessionId = await openSession(world, instance, {});
  const toolsOf = (count: number, schemaBytes: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `extra-${index}`,
      description: "",
      inputSchemaJson: `{"a":"${"x".repeat(schemaBytes)}"}`,
    }));
  for (const dynamicTools of [toolsOf(512, 10), toolsOf(32, 32_000)]) {
    const events = await readAll(
      instance.client.trigger({ ...say(sessionId, "hi"), dynamicTools }, world.as()),
    );
    assert.equal(events.at(-1)?.type, "finish");
  }
  for (const dynamicTools of [toolsOf(513, 10), toolsOf(34, 32_000)]) {
    const request = { ...say(sessionId, "hi"), dynamicTools };
    const refused = await refusal(readAll(instance.client.trigger(request, world.as())));
    assert.equal(refused.reason, Reason.INVALID_REQUEST);
  }
});

test("the sender is recorded on the user message", async (t) => {
  const world = await startWorld(t);
  const instance = await world.addInstance();
  const sessionId = await openSession(world, instance, {});
  const sender = { id: "u1", name: "Ada", image: "https://example.org/ada.png" };
  await readAll(instance.client.trigger({ ...say(sessionId, "hi"), sender }, world.as()));
  const [message] = await messagesOf(world, instance, sessionId);
  assert.deepEqual(message && "sender" in message ? message.sender : undefined, sender);
});

test("a trigger with any content is answered or refused with a reason, and the session stays usable", async (t) => {
  const world = await startWorld(t);
  const instance = await world.addInstance();
  const { client } = instance;
  const sessionId = await openSession(world, instance, {});
  const json = fc.oneof(fc.json(), fc.string(), fc.constant(""), fc.constant('{"TEXT":"hi"}'));
  const id = fc.oneof(fc.constant(sessionId), fc.string(), fc.constant("msg_1"));
  const request = fc.record({
    triggerName: fc.oneof(fc.constant("say"), fc.constant("greet"), fc.string()),
    inputJson: json,
    toolResults: fc.array(
      fc.record({
        toolCallId: id,
        toolName: fc.string(),
        outcome: fc.oneof(
          fc.record({ case: fc.constant("resultJson" as const), value: json }),
          fc.record({ case: fc.constant("error" as const), value: fc.string() }),
        ),
      }),
      { maxLength: 1 },
    ),
    sender: fc.record({ id: fc.string(), name: fc.string() }),
    dynamicTools: fc.array(
      fc.record({ name: fc.string(), description: fc.string(), inputSchemaJson: json }),
      { maxLength: 1 },
    ),
    onDisconnect: fc.constantFrom(0 as const, 1 as const, 2 as const),
  });
  const optional = fc.oneof(
    fc.constant({}),
    fc.record({ executionId: id }),
    fc.record({ rollback: fc.oneof(fc.constant({}), fc.record({ afterMessageId: id })) }),
  );
  await fc.assert(
    fc.asyncProperty(id, request, optional, async (session, fields, more) => {
      try {
        const events = await readAll(
          client.trigger(
            create(TriggerRequestSchema, { sessionId: session, ...fields, ...more }),
            world.as(),
          ),
        );
        assert.equal(events.at(-1)?.type, "finish");
      } catch (error) {
        assert.notEqual(readRpcError(error).reason, Reason.UNSPECIFIED, String(error));
      }
    }),
    { numRuns: 150 },
  );
  const after = { ...say(sessionId, "after all that"), rollback: {} };
  assert.equal((await readAll(client.trigger(after, world.as()))).at(-1)?.type, "finish");
});
