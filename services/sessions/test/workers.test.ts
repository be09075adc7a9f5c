import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import { research } from "./support/definitions.ts";
import { openSession, readAll, refusal, result, startWorld, textOf, typesOf } from "./support/harness.ts";
import {
  asksForOwls,
  eventOf,
  executionIdOf,
  goOn,
  pricedModels,
  reports,
  start,
  startPaused,
  startWorkerWorld,
  storedExecutions,
} from "./support/worker-harness.ts";

describe("a worker execution", () => {
  test("a worker execution streams its steps, output and usage, and stores none of it", async (t) => {
    const world = await startWorkerWorld(t, [reports]);
    const { client } = await world.addInstance();
    const events = await readAll(client.executeWorker(start(), world.as()));
    const types = typesOf(events);
    assert.deepEqual(types.slice(0, 2), ["start", "worker-start"]);
    assert.deepEqual(types.slice(-4), ["persisted", "worker-result", "finish", "usage"]);
    const begun = eventOf(events, "worker-start");
    const ended = eventOf(events, "worker-result");
    assert.equal(begun?.workerSlug, "agt-research");
    assert.deepEqual(begun?.input, { TOPIC: "owls", MODEL: "local/scripted" });
    assert.deepEqual([ended?.workerId, ended?.output], [begun?.workerId, "Owls fly by night."]);
    assert.equal(textOf(events), "Owls fly by night.");
    assert.ok(
      events
        .filter(({ type }) => type === "text-delta")
        .every(({ workerId }) => workerId === begun?.workerId),
    );
    const [stored] = await storedExecutions(world);
    assert.deepEqual(
      [stored?._id, stored?.input, stored?.tail, stored?.execution, stored?.lease],
      [executionIdOf(events), null, null, null, null],
    );
    assert.equal(stored?.expiresAt.getTime(), world.clock.now() + 15 * 60_000);
  });

  test("a worker can be started by slug and gets the input's defaults", async (t) => {
    const world = await startWorkerWorld(t, [reports]);
    const { client } = await world.addInstance();
    const bySlug = { ...start(), agent: { case: "agentSlug" as const, value: "agt-research" } };
    const events = await readAll(client.executeWorker(bySlug, world.as()));
    assert.equal(eventOf(events, "worker-result")?.output, "Owls fly by night.");
  });

  test("a worker pauses for tools and continues with their results on another instance", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const first = await world.addInstance();
    const paused = await readAll(first.client.executeWorker(start(), world.as()));
    assert.deepEqual(typesOf(paused).slice(-3), ["persisted", "tool-request", "finish"]);
    assert.equal(eventOf(paused, "finish")?.finishReason, "tool-calls");
    await first.stop();
    const second = await world.addInstance();
    const executionId = executionIdOf(paused);
    const events = await readAll(second.client.executeWorker(goOn(executionId), world.as()));
    assert.equal(executionIdOf(events), executionId);
    assert.equal(eventOf(events, "worker-result")?.workerId, eventOf(paused, "worker-start")?.workerId);
    assert.equal(eventOf(events, "worker-result")?.output, "Owls fly by night.");
    assert.match(JSON.stringify(world.provider.requests[1]?.body), /Owls fly\./);
  });

  test("a paused worker continues with its original version, by slug or after its agent was archived or changed", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, asksForOwls, reports, reports]);
    const instance = await world.addInstance();
    const { client } = instance;
    const one = await startPaused(world, instance);
    const two = await startPaused(world, instance);
    const bySlug = { ...goOn(one), agent: { case: "agentSlug" as const, value: "agt-research" } };
    assert.equal((await readAll(client.executeWorker(bySlug, world.as()))).at(-1)?.type, "usage");
    world.agents.set("agt_research", [research, { ...research, protocol: "steps: {}", archived: true }]);
    const events = await readAll(client.executeWorker(goOn(two), world.as()));
    assert.equal(eventOf(events, "worker-result")?.output, "Owls fly by night.");
    const refused = await refusal(readAll(client.executeWorker(start(), world.as())));
    assert.equal(refused.reason, Reason.AGENT_ARCHIVED);
  });

  test("a worker can use the caller's tools", async (t) => {
    const world = await startWorkerWorld(t, [
      { parts: [{ toolCall: { id: "call_a", name: "my-tool", arguments: {} } }] },
      reports,
    ]);
    const { client } = await world.addInstance();
    const dynamicTools = [{ name: "my-tool", description: "Mine.", inputSchemaJson: '{"type":"object"}' }];
    const value = { inputJson: '{"TOPIC":"owls"}', dynamicTools };
    const request = { ...start(), command: { case: "start" as const, value } };
    const paused = await readAll(client.executeWorker(request, world.as()));
    assert.equal(JSON.stringify(eventOf(paused, "tool-request")?.toolCalls).includes("my-tool"), true);
    const events = await readAll(client.executeWorker(goOn(executionIdOf(paused)), world.as()));
    assert.equal(eventOf(events, "worker-result")?.output, "Owls fly by night.");
  });

  test("a worker that fails reports the error as its result and at the end of the stream", async (t) => {
    const world = await startWorkerWorld(t, [{ status: 401, error: { message: "No." } }]);
    const { client } = await world.addInstance();
    const events = await readAll(client.executeWorker(start(), world.as()));
    assert.equal(typeof eventOf(events, "worker-result")?.error, "string");
    assert.equal(events.at(-1)?.type, "error");
    const again = await refusal(readAll(client.executeWorker(goOn(executionIdOf(events)), world.as())));
    assert.equal(again.reason, Reason.UNKNOWN_TOOL_CALL);
  });
});

test("a worker with tools and maxSteps uses the results of its tools, without agentic", async (t) => {
  const world = await startWorkerWorld(t, [asksForOwls, reports]);
  const { client } = await world.addInstance();
  const protocol = research.protocol.replace("agentic: true", "maxSteps: 5");
  world.agents.set("agt_research", [{ ...research, protocol }]);
  const executionId = executionIdOf(await readAll(client.executeWorker(start(), world.as())));
  const events = await readAll(client.executeWorker(goOn(executionId), world.as()));
  assert.equal(eventOf(events, "worker-result")?.output, "Owls fly by night.");
});

test("a worker is not run with input that it does not declare", async (t) => {
  const world = await startWorkerWorld(t);
  const { client } = await world.addInstance();
  const refused = await refusal(
    readAll(client.executeWorker(start({ TOPIC: "owls", MODLE: "demo/echo" }), world.as())),
  );
  assert.equal(refused.reason, Reason.INVALID_INPUT);
  assert.equal(refused.message, "MODLE is not declared. Did you mean MODEL?");
});

describe("the usage of a worker execution", () => {
  test("usage is exact over all requests of an execution, at the model's price", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const { client } = await world.addInstance({ bandwidthPer1M: "0.5" }, { models: pricedModels(world) });
    const request = start({ TOPIC: "owls", MODEL: "openai/gpt-4o-mini" });
    const paused = await readAll(client.executeWorker(request, world.as()));
    assert.equal(paused.at(-1)?.type, "finish");
    // 0.15 and 0.60 dollars per million tokens.
    const done = await readAll(client.executeWorker(goOn(executionIdOf(paused)), world.as()));
    assert.deepEqual(done.at(-1), {
      type: "usage",
      cost: {
        currency: "USD",
        providerFee: 0.00054,
        bandwidthFee: 0.001575,
        totalFee: 0.002115,
        byok: false,
      },
      tokens: { inputTokens: 3_000, outputTokens: 150, totalTokens: 3_150 },
    });
  });

  test("a worker costs nothing with a model without a price", async (t) => {
    const world = await startWorkerWorld(t, [reports]);
    const { client } = await world.addInstance({}, { models: pricedModels(world) });
    const request = start({ TOPIC: "owls", MODEL: "openai/of-tomorrow" });
    const usage = (await readAll(client.executeWorker(request, world.as()))).at(-1);
    assert.deepEqual(usage?.cost, {
      currency: "USD",
      providerFee: 0,
      bandwidthFee: 0,
      totalFee: 0,
      byok: false,
    });
    assert.deepEqual(usage?.tokens, { inputTokens: 2_000, outputTokens: 50, totalTokens: 2_050 });
  });

  test("sessions do not report usage", async (t) => {
    const world = await startWorld(t, [reports]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const say = { sessionId, triggerName: "say", inputJson: '{"TEXT":"hi"}' };
    assert.equal((await readAll(instance.client.trigger(say, world.as()))).at(-1)?.type, "finish");
  });
});

describe("a worker execution is refused and nothing is stored", () => {
  const command = (value: object) => ({ ...start(), command: { case: "start" as const, value } });
  const tool = { name: "look-up", description: "Mine.", inputSchemaJson: "{}" };
  const cases: Array<[string, object, Reason]> = [
    ["without a required input", start({}), Reason.INVALID_INPUT],
    ["with input of a wrong type", start({ TOPIC: 7 }), Reason.INVALID_INPUT],
    ["with more input than can be stored", start({ TOPIC: "x".repeat(5_000) }), Reason.TOO_LARGE],
    ["with input that is not an object", command({ inputJson: "[]" }), Reason.INVALID_REQUEST],
    ["for an interactive agent", start({}, "agt_chat"), Reason.INVALID_REQUEST],
    ["for an agent that does not exist", start({}, "agt_none"), Reason.NOT_FOUND],
    ["for an archived agent", start({ TOPIC: "owls" }, "agt_archived"), Reason.AGENT_ARCHIVED],
    ["that names no agent", { command: start().command }, Reason.INVALID_REQUEST],
    ["without a command", { agent: start().agent }, Reason.INVALID_REQUEST],
    ["with a model that cannot run", start({ TOPIC: "owls", MODEL: "xai/grok" }), Reason.MODEL_NOT_RUNNABLE],
    [
      "with a tool that the definition declares",
      command({ inputJson: '{"TOPIC":"owls"}', dynamicTools: [tool] }),
      Reason.INVALID_REQUEST,
    ],
  ];
  for (const [name, request, reason] of cases) {
    test(`a worker execution ${name} is refused and stores nothing`, async (t) => {
      const world = await startWorkerWorld(t);
      world.agents.set("agt_archived", [{ ...research, archived: true }]);
      const { client } = await world.addInstance({ maxStateBytes: 5_000 });
      const refused = await refusal(readAll(client.executeWorker(request, world.as())));
      assert.equal(refused.reason, reason, refused.message);
      assert.deepEqual(await storedExecutions(world), []);
    });
  }
});

describe("refused results of a worker", () => {
  const cases: Array<[string, (executionId: string) => object, Reason]> = [
    ["belong to no pending call", (id) => goOn(id, "call_z"), Reason.UNKNOWN_TOOL_CALL],
    ["name another tool", (id) => withResults(id, [result("call_a", 1, "other")]), Reason.INVALID_REQUEST],
    [
      "contain a call twice",
      (id) => withResults(id, [result("call_a", 1), result("call_a", 2)]),
      Reason.INVALID_REQUEST,
    ],
    ["belong to no execution", () => goOn("exe_none"), Reason.NOT_FOUND],
    ["name no execution", () => goOn(""), Reason.INVALID_REQUEST],
  ];
  for (const [name, request, reason] of cases) {
    test(`tool results that ${name} are refused, and the worker stays paused`, async (t) => {
      const world = await startWorkerWorld(t, [asksForOwls, reports]);
      const instance = await world.addInstance();
      const executionId = await startPaused(world, instance);
      const send = (body: object) => readAll(instance.client.executeWorker(body, world.as()));
      const [paused] = await storedExecutions(world);
      world.clock.advance(60_000);
      assert.equal((await refusal(send(request(executionId)))).reason, reason);
      assert.deepEqual((await storedExecutions(world))[0]?.expiresAt, paused?.expiresAt);
      assert.equal(eventOf(await send(goOn(executionId)), "worker-result")?.output, "Owls fly by night.");
    });
  }

  function withResults(executionId: string, toolResults: object[]) {
    return { ...goOn(executionId), command: { case: "continue", value: { executionId, toolResults } } };
  }
});
