import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { Reason } from "@muster/rpc";
import { createLogger } from "@muster/service";
import { describe, test } from "vitest";
import { chat, chatWithBackup } from "./support/definitions.ts";
import {
  messagesOf,
  openSession,
  readAll,
  refusal,
  result,
  say,
  scriptedModel,
  startWorld,
  textOf,
  typesOf,
} from "./support/harness.ts";

describe("a provider that fails", () => {
  const cases: Array<
    [string, ScriptedStep, { errorType: string; code: string; retryable: boolean; text: string }]
  > = [
    [
      "429",
      { status: 429, headers: { "retry-after": "7" } },
      { errorType: "rate_limit_error", code: "RATE_LIMITED", retryable: true, text: "" },
    ],
    ["500", { status: 500 }, { errorType: "provider_error", code: "UPSTREAM", retryable: true, text: "" }],
    [
      "529",
      { status: 529 },
      { errorType: "provider_overloaded", code: "UNAVAILABLE", retryable: true, text: "" },
    ],
    [
      "401",
      { status: 401 },
      { errorType: "authentication_error", code: "UPSTREAM", retryable: false, text: "" },
    ],
    [
      "a cut stream",
      { parts: [{ text: "Half an " }], ending: "cut" },
      { errorType: "provider_error", code: "UPSTREAM", retryable: true, text: "Half an " },
    ],
    [
      "silence in the middle",
      { parts: [{ text: "Half an " }], ending: "hang" },
      { errorType: "provider_timeout", code: "TIMEOUT", retryable: true, text: "Half an " },
    ],
    [
      "silence",
      { silent: true },
      { errorType: "provider_timeout", code: "TIMEOUT", retryable: true, text: "" },
    ],
  ];
  for (const [name, step, expected] of cases) {
    test(`a provider that fails with ${name} causes an error event, and the session continues with the partial output`, async (t) => {
      const limits = expected.code === "TIMEOUT" ? { modelTimeoutMs: 3_000 } : {};
      const world = await startWorld(t, [step, { parts: [{ text: "Better." }] }], limits);
      const instance = await world.addInstance();
      const sessionId = await openSession(world, instance);
      const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
      const last = events.at(-1);
      assert.deepEqual([last?.type, last?.source], ["error", "provider"]);
      assert.deepEqual([last?.errorType, last?.code], [expected.errorType, expected.code]);
      assert.equal(last?.retryable, expected.retryable);
      if (name === "429") assert.equal(last?.retryAfter, 7);
      assert.equal(typesOf(events).at(-2), "persisted");
      const messages = await messagesOf(world, instance, sessionId);
      const texts = messages.slice(1).flatMap(({ parts }) => parts.map(({ text }) => text));
      assert.equal(texts.join(""), expected.text);
      assert.ok(messages.every(({ status }) => status === "done"));
      const again = await readAll(instance.client.trigger(say(sessionId, "again"), world.as()));
      assert.equal(textOf(again), "Better.");
    });
  }

  test("the log line of a failed model call contains the ids of its request and its session, and the remedy", async (t) => {
    const world = await startWorld(t, [{ status: 500 }]);
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: "test", level: "warn", destination });
    const instance = await world.addInstance({}, { log });
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const line = lines.find((text) => text.includes("a model call failed"));
    assert.match(line ?? "", /"requestId":"req_test"/);
    assert.ok(line?.includes(`"sessionId":"${sessionId}"`));
    assert.match(line ?? "", /"remedy":"check the provider's status page/);
  });

  test("the backup model replaces a failing one after the failed step is discarded", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Half an " }], ending: "cut" }]);
    world.agents.set("agt_chat", [chatWithBackup]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const types = typesOf(events);
    assert.ok(types.includes("step-discard"));
    assert.ok(types.indexOf("step-discard") < types.lastIndexOf("text-start"));
    assert.equal(events.at(-1)?.finishReason, "stop");
    const [, answer] = await messagesOf(world, instance, sessionId);
    assert.doesNotMatch(JSON.stringify(answer), /Half/);
    assert.match(JSON.stringify(answer), /You said: hi/);
  });
});

describe("a session that grows too large", () => {
  test("a session that grows too large keeps its last state, reports the error, and can be rolled back", async (t) => {
    const world = await startWorld(t, [
      { parts: [{ text: "Short." }] },
      { parts: [{ text: ["x".repeat(6_000)] }] },
      { parts: [{ text: "Short again." }] },
    ]);
    const instance = await world.addInstance({ maxStateBytes: 5_000 });
    const { client } = instance;
    const sessionId = await openSession(world, instance);
    await readAll(client.trigger(say(sessionId, "one"), world.as()));
    const before = await messagesOf(world, instance, sessionId);
    const events = await readAll(client.trigger(say(sessionId, "two"), world.as()));
    assert.deepEqual([events.at(-1)?.type, events.at(-1)?.code], ["error", "PAYLOAD_TOO_LARGE"]);
    assert.ok(!typesOf(events).includes("persisted"));
    assert.deepEqual(await messagesOf(world, instance, sessionId), before);
    const large = await refusal(readAll(client.trigger(say(sessionId, "y".repeat(5_000)), world.as())));
    assert.equal(large.reason, Reason.TOO_LARGE);
    const shorter = { ...say(sessionId, "three"), rollback: {} };
    assert.equal(textOf(await readAll(client.trigger(shorter, world.as()))), "Short again.");
  });

  test("input that fits once, but not with the message made from it, is refused before anything is stored or sent", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Fine." }] }]);
    const instance = await world.addInstance({ maxStateBytes: 50_000 });
    const sessionId = await openSession(world, instance);
    const large = say(sessionId, "x".repeat(30_000));
    assert.equal(
      (await refusal(readAll(instance.client.trigger(large, world.as())))).reason,
      Reason.TOO_LARGE,
    );
    const { lease, tail, execution } = await world.document(sessionId);
    assert.deepEqual([lease, JSON.parse(tail ?? ""), execution], [null, [], null]);
    const { triggerName, inputJson } = large;
    const start = { agentId: "agt_chat", trigger: { triggerName, inputJson } };
    assert.equal(
      (await refusal(readAll(instance.client.startSession(start, world.as())))).reason,
      Reason.TOO_LARGE,
    );
    assert.equal(await world.sessions.countDocuments(), 1);
    assert.equal(world.provider.requests.length, 0);
    const smaller = await readAll(instance.client.trigger(say(sessionId, "x".repeat(20_000)), world.as()));
    assert.equal(textOf(smaller), "Fine.");
  });

  test("a session refuses a tool result that is too large and keeps waiting for a smaller one", async (t) => {
    const world = await startWorld(t, [
      { parts: [{ toolCall: { id: "call_a", name: "get-order", arguments: { number: "7" } } }] },
      { parts: [{ text: "Done." }] },
    ]);
    const { client, ...rest } = await world.addInstance({ maxStateBytes: 5_000 });
    const sessionId = await openSession(world, { client, ...rest });
    await readAll(client.trigger(say(sessionId, "hi"), world.as()));
    const send = (value: string) =>
      readAll(
        client.trigger({ ...say(sessionId, "hi"), toolResults: [result("call_a", value)] }, world.as()),
      );
    assert.equal((await refusal(send("x".repeat(6_000)))).reason, Reason.TOO_LARGE);
    assert.equal(textOf(await send("ok")), "Done.");
  });
});

describe("a prompt that becomes too large when it is filled in", () => {
  const repeated = {
    ...chat,
    prompts: { system: "{{SHOP}}".repeat(9), message: "{{TEXT}}", again: "{{ANSWER}}".repeat(9) },
    protocol: chat.protocol
      .replace("variables:\n", "variables:\n  ANSWER: { type: string }\n")
      .replace(
        /next-message\n {2}greet/,
        "next-message\n      output: ANSWER\n    Again:\n      block: add-message\n      role: user\n      prompt: again\n      input: [ANSWER]\n  greet",
      ),
  };
  const large = "x".repeat(1024 * 1024);

  test("a trigger whose input makes a prompt too large is refused and stores nothing", async (t) => {
    const world = await startWorld(t);
    world.agents.set("agt_chat", [repeated]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, { SHOP: large });
    const refused = await refusal(readAll(instance.client.trigger(say(sessionId, "hi"), world.as())));
    assert.equal(refused.reason, Reason.TOO_LARGE);
    const { lease, tail } = await world.document(sessionId);
    assert.deepEqual([lease, JSON.parse(tail ?? "")], [null, []]);
  });

  test("a prompt that the model's output makes too large causes an error event and keeps the output", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: [large] }] }]);
    world.agents.set("agt_chat", [repeated]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    assert.deepEqual([events.at(-1)?.type, events.at(-1)?.code], ["error", "PAYLOAD_TOO_LARGE"]);
    const messages = await messagesOf(world, instance, sessionId);
    assert.deepEqual(
      messages.map(({ role, status }) => [role, status]),
      [
        ["user", "done"],
        ["assistant", "done"],
      ],
    );
  });
});

test("a trigger is refused if a variable names a model that cannot run, whatever its name", async (t) => {
  const world = await startWorld(t);
  const instance = await world.addInstance();
  for (const MODEL of ["nonsense", "", "openai/gpt", "x/".repeat(500), `${scriptedModel}\u0000`]) {
    const sessionId = await openSession(world, instance, { MODEL });
    const trigger = readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const outcome = await trigger.then(
      (events) => events.at(-1)?.type,
      () => "refused",
    );
    assert.ok(outcome === "refused" || outcome === "error", `${MODEL}: ${outcome}`);
    assert.equal((await world.document(sessionId)).lease, null);
  }
});
