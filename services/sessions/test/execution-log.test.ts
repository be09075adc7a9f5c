import assert from "node:assert/strict";
import { createModels, readModelsConfig } from "@muster/models";
import { Reason } from "@muster/rpc";
import { createLogger } from "@muster/service";
import { until } from "@muster/testing";
import { checkEntry } from "@muster/wire/log-entries/check";
import { Collection } from "mongodb";
import { describe, test, vi } from "vitest";
import { logId } from "../src/store/log-store.ts";
import { addDoomed, Reader } from "./support/adoption-harness.ts";
import { chat, chatWithBackup } from "./support/definitions.ts";
import {
  type Instance,
  openSession,
  readAll,
  refusal,
  result,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";
import {
  asksForOwls,
  executionIdOf,
  goOn,
  pricedModels,
  reports,
  start,
  startWorkerWorld,
} from "./support/worker-harness.ts";

interface Entry {
  type: string;
  sequence: number;
  [field: string]: unknown;
}

/** Every entry is checked against its schema. */
async function logOf(
  world: World,
  { client }: Instance,
  sessionId: string,
  excludeModelRequests = false,
): Promise<{ entries: Entry[]; total: number; truncated: boolean; active: boolean }> {
  const entries: Entry[] = [];
  let [total, truncated, active] = [0, false, false];
  for await (const { summary, entriesJson } of client.readSessionLog(
    { sessionId, excludeModelRequests },
    world.as(),
  )) {
    if (summary) ({ total, truncated, active } = summary);
    for (const json of entriesJson) entries.push(JSON.parse(json));
  }
  for (const entry of entries) checkEntry(entry);
  const numbers = entries.map(({ sequence }) => sequence);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  return { entries, total, truncated, active };
}

function typesOf(entries: readonly Entry[]): string[] {
  return entries.map(({ type }) => type);
}

function only(entries: readonly Entry[], type: string): Entry {
  const found = entries.filter((entry) => entry.type === type);
  assert.equal(found.length, 1, `${found.length} entries of type ${type}`);
  return found[0] as Entry;
}

function typesAfterRequest(entries: readonly Entry[]): string[] {
  return typesOf(entries).filter((type) => type !== "block-operation" && type !== "model-request");
}

const asksForOrder = {
  parts: [{ toolCall: { id: "call_1", name: "get-order", arguments: { number: "7" } } }],
};

describe("the execution log of a session", () => {
  test("a plain turn can be read once its finish was sent, in the order in which it happened", async (t) => {
    const world = await startWorld(t, [{ parts: [{ reasoning: "Hm." }, { text: "Hello there." }] }]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    const { entries, total, truncated, active } = await logOf(world, instance, sessionId);
    assert.deepEqual([total, truncated, active], [entries.length, false, true]);
    assert.deepEqual(typesOf(entries), [
      ...["trigger", "block-operation", "message", "block-operation", "model-request"],
      ...["reasoning", "llm-response", "step-stats"],
    ]);
    for (const { executionId } of entries) assert.equal(executionId, executionIdOf(events));
    assert.deepEqual(only(entries, "trigger").input, { TEXT: "Hi" });
    assert.equal(only(entries, "message").text, "Hi");
    assert.equal(only(entries, "reasoning").text, "Hm.");
    const { text, blockName, model } = only(entries, "llm-response");
    assert.deepEqual([text, blockName, model], ["Hello there.", "Answer", "local/scripted"]);
    const stats = only(entries, "step-stats");
    assert.deepEqual(stats.tokens, {
      ...{ inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      ...{ cacheReadTokens: 0, reasoningTokens: 0 },
    });
    assert.match(String(stats.priceVersion), /^genai-prices \d/);
    const request = JSON.stringify(only(entries, "model-request").request);
    assert.match(request, /You help customers of Lantern/);
    assert.match(request, /Looks up an order/);
    const without = await logOf(world, instance, sessionId, true);
    assert.equal(without.total, total - 1);
    assert.deepEqual(
      without.entries,
      entries.filter(({ type }) => type !== "model-request"),
    );
  });

  test("results that are longer than their thread's limit are recorded once each, whichever instance continues", async (t) => {
    const calls = (...ids: string[]) => ({
      parts: [{ toolCalls: ids.map((id) => ({ id, name: "get-order", arguments: { number: id } })) }],
    });
    const world = await startWorld(t, [
      calls("long", "short"),
      calls("failed"),
      calls("later"),
      { parts: [{ text: "Done." }] },
      { parts: [{ text: "Again." }] },
    ]);
    const protocol = chat.protocol.replace("agent:\n", "agent:\n  maxToolOutputTokens: 100\n");
    world.agents.set("agt_chat", [{ ...chat, protocol }]);
    const [first, second] = [await world.addInstance(), await world.addInstance()];
    const sessionId = await openSession(world, first);
    const continueOn = async ({ client }: Instance, toolResults: object[]) =>
      readAll(client.trigger({ sessionId, triggerName: "say", toolResults }, world.as()));
    await readAll(first.client.trigger(say(sessionId, "Where is it?"), world.as()));
    await continueOn(second, [result("long", "x".repeat(5_000)), result("short", { arrives: "Monday" })]);
    const error = { case: "error" as const, value: "y".repeat(3_000) };
    await continueOn(first, [{ toolCallId: "failed", toolName: "get-order", outcome: error }]);
    await continueOn(second, [result("later", "z")]);
    await readAll(first.client.trigger(say(sessionId, "And again?"), world.as()));
    const { entries } = await logOf(world, first, sessionId);
    const bounded = entries.filter(({ type }) => type === "tool-output-bounded");
    assert.deepEqual(
      bounded.map(({ toolCallId, toolName, blockName, characters }) => [
        toolCallId,
        toolName,
        blockName,
        characters,
      ]),
      [
        ["long", "get-order", "Answer", 5_000],
        ["failed", "get-order", "Answer", 3_000],
      ],
    );
    assert.ok(bounded.every(({ keptCharacters }) => Number(keptCharacters) < 500));
    const types = typesOf(entries);
    assert.equal(types[types.indexOf("tool-output-bounded") + 1], "model-request");
  });

  test("a turn that continues on another instance has one log with rising numbers, the same on both", async (t) => {
    const world = await startWorld(t, [asksForOrder, { parts: [{ text: "It arrives on Monday." }] }]);
    const [first, second] = [await world.addInstance(), await world.addInstance()];
    const sessionId = await openSession(world, first);
    await readAll(first.client.trigger(say(sessionId, "Where is it?"), world.as()));
    const toolResults = [result("call_1", { arrives: "Monday" })];
    await readAll(second.client.trigger({ sessionId, triggerName: "say", toolResults }, world.as()));
    const { entries } = await logOf(world, first, sessionId);
    assert.deepEqual((await logOf(world, second, sessionId)).entries, entries);
    assert.deepEqual(typesAfterRequest(entries), [
      ...["trigger", "message", "llm-tool-request", "step-stats", "tool-call"],
      ...["trigger", "tool-result", "llm-response", "step-stats"],
    ]);
    const call = { toolCallId: "call_1", toolName: "get-order", args: { number: "7" } };
    assert.deepEqual(only(entries, "llm-tool-request").toolCalls, [call]);
    const { source, executor, blockName } = only(entries, "tool-call");
    assert.deepEqual([source, executor, blockName], ["llm", "caller", "Answer"]);
    const { result: given, status, blockName: at } = only(entries, "tool-result");
    assert.deepEqual([given, status, at], [{ arrives: "Monday" }, "done", "Answer"]);
    assert.equal(new Set(entries.map(({ executionId }) => executionId)).size, 1);
  });

  test("a turn ends before its log is stored; a reader on another instance waits for that, but not forever", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Hello." }] }]);
    const held = Promise.withResolvers<void>();
    t.onTestFinished(() => held.resolve());
    const insertMany = Collection.prototype.insertMany;
    vi.spyOn(Collection.prototype, "insertMany").mockImplementation(async function (
      this: Collection,
      ...args
    ) {
      if (this.collectionName === "execution_logs") await held.promise;
      return insertMany.apply(this, args);
    });
    const timings = { logWaitMs: 3_600_000 };
    const [first, second] = [await world.addInstance({ timings }), await world.addInstance({ timings })];
    const sessionId = await openSession(world, first);
    await readAll(first.client.trigger(say(sessionId, "Hi"), world.as()));
    const reading = logOf(world, second, sessionId);
    const hasty = await world.addInstance({ timings: { logWaitMs: 1 } });
    assert.deepEqual((await logOf(world, hasty, sessionId)).entries, []);
    held.resolve();
    const types = ["trigger", "message", "llm-response", "step-stats"];
    assert.deepEqual(typesAfterRequest((await reading).entries), types);
  });

  test("a pending call without a result is recorded as cancelled, a failed one with its error", async (t) => {
    const calls = ["call_1", "call_2"].map((id) => ({ id, name: "get-order", arguments: { number: id } }));
    const world = await startWorld(t, [{ parts: [{ toolCalls: calls }] }, { parts: [{ text: "Sorry." }] }]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "Where is it?"), world.as()));
    const error = { toolCallId: "call_2", outcome: { case: "error" as const, value: "No such order." } };
    const request = { sessionId, triggerName: "say", toolResults: [error] };
    await readAll(instance.client.trigger(request, world.as()));
    const results = (await logOf(world, instance, sessionId)).entries.filter(
      ({ type }) => type === "tool-result",
    );
    assert.deepEqual(
      results.map(({ toolCallId, status, error }) => [toolCallId, status, error]),
      [
        ["call_1", "cancelled", undefined],
        ["call_2", "error", "No such order."],
      ],
    );
  });

  test("a cancelled turn leaves its partial text, the cause and a step that was cut off", async (t) => {
    const hold = Promise.withResolvers<void>();
    t.onTestFinished(() => hold.resolve());
    const world = await startWorld(t, [{ parts: [{ text: "It arr" }, { until: hold.promise }] }]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    for await (const { events } of instance.client.trigger(say(sessionId, "Where is it?"), world.as())) {
      if (!events.some(({ type }) => type === "text-delta")) continue;
      await instance.client.cancelExecution({ sessionId }, world.as());
    }
    const { entries } = await logOf(world, instance, sessionId);
    assert.equal(only(entries, "abort").cause, "cancelled");
    assert.equal(only(entries, "llm-response").outcome, "partial");
    const { finishReason, tokens } = only(entries, "step-stats");
    assert.deepEqual([finishReason, tokens], ["aborted", undefined]);
  });

  test("a failed model call is recorded with the error that the stream ended with", async (t) => {
    const world = await startWorld(t, [{ status: 401, error: { message: "Bad key" } }]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    const { entries } = await logOf(world, instance, sessionId);
    const error = only(entries, "error");
    const streamed = events.find(({ type }) => type === "error");
    assert.deepEqual(
      [error.errorType, error.message, error.isHandled],
      [streamed?.errorType, streamed?.message, false],
    );
    assert.equal(only(entries, "step-stats").finishReason, "failed");
  });

  test("a step that the backup model makes again is recorded with both calls and the handled error", async (t) => {
    const cut = {
      parts: [{ text: "It arr" }, { error: { message: "Overloaded", type: "overloaded_error" } }],
    };
    const world = await startWorld(t, [cut]);
    world.agents.set("agt_chat", [chatWithBackup]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    const { entries } = await logOf(world, instance, sessionId);
    const of = (type: string, field: string) =>
      entries.filter((entry) => entry.type === type).map((entry) => [entry.model, entry[field]]);
    assert.deepEqual(of("model-request", "isBackup"), [
      ["local/scripted", false],
      ["demo/echo", true],
    ]);
    assert.deepEqual(of("llm-response", "outcome"), [
      ["local/scripted", "discarded"],
      ["demo/echo", "done"],
    ]);
    assert.deepEqual(of("step-stats", "finishReason"), [
      ["local/scripted", "failed"],
      ["demo/echo", "stop"],
    ]);
    assert.equal(only(entries, "error").isHandled, true);
  });

  test("the entries of a holder that has died can be read, and the next turn's entries follow", async (t) => {
    const hold = Promise.withResolvers<void>();
    t.onTestFinished(() => hold.resolve());
    const world = await startWorld(t, [
      { parts: [{ text: "It arr" }, { until: hold.promise }] },
      { parts: [{ text: "On Monday." }] },
    ]);
    const reader = await world.addInstance();
    const sessionId = await openSession(world, reader);
    const doomed = await addDoomed(world, { earlySaveMs: 20 });
    new Reader(doomed.client.trigger(say(sessionId, "Where is it?"), world.as()));
    await until(async () => (await logOf(world, reader, sessionId)).total > 0);
    world.clock.advance(60_000);
    await readAll(reader.client.trigger(say(sessionId, "Where is it now?"), world.as()));
    const { entries } = await logOf(world, reader, sessionId);
    assert.deepEqual(typesAfterRequest(entries), [
      ...["trigger", "message"],
      ...["trigger", "message", "llm-response", "step-stats"],
    ]);
  });
});

describe("the execution log of a worker", () => {
  test("a worker that pauses has one log under its execution's id, with exact costs", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const instance = await world.addInstance({ bandwidthPer1M: "0.01" }, { models: pricedModels(world) });
    const model = "openai/gpt-4o-mini";
    const executionId = executionIdOf(
      await readAll(instance.client.executeWorker(start({ TOPIC: "owls", MODEL: model }), world.as())),
    );
    await readAll(instance.client.executeWorker(goOn(executionId), world.as()));
    const { entries } = await logOf(world, instance, executionId);
    assert.deepEqual(typesAfterRequest(entries), [
      ...["trigger", "worker-execution", "thread-created", "message", "llm-tool-request", "step-stats"],
      ...["tool-call", "trigger", "tool-result", "llm-response", "step-stats", "worker-output"],
    ]);
    assert.deepEqual(
      entries.filter(({ type }) => type === "step-stats").map(({ cost }) => cost),
      // 0.15 and 0.60 dollars per million tokens, and 0.01 for the platform.
      [
        { currency: "USD", providerFee: "0.00021", bandwidthFee: "0.000011", totalFee: "0.000221" },
        { currency: "USD", providerFee: "0.00033", bandwidthFee: "0.0000205", totalFee: "0.0003505" },
      ],
    );
    const { workerId, output } = only(entries, "worker-output");
    assert.equal(output, "Owls fly by night.");
    const within = entries.filter(({ type }) => type !== "trigger" || workerId !== undefined);
    for (const entry of within) assert.equal(entry.workerId, workerId, entry.type);
    assert.equal(only(entries, "llm-response").thread, "work");
  });

  test("a worker that fails is recorded with its error", async (t) => {
    const world = await startWorkerWorld(t, [{ status: 401, error: { message: "Bad key" } }]);
    const instance = await world.addInstance();
    const events = await readAll(instance.client.executeWorker(start(), world.as()));
    const { entries } = await logOf(world, instance, executionIdOf(events));
    assert.equal(only(entries, "worker-output").error, only(entries, "error").message);
  });
});

describe("who may read a log", () => {
  test("a log is unknown to other projects, and forbidden to other agents and to tokens", async (t) => {
    const world = await startWorkerWorld(t, [{ parts: [{ text: "Hello." }] }, reports]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    const worker = executionIdOf(await readAll(instance.client.executeWorker(start(), world.as())));
    const reasonFor = async (id: string, principal: Parameters<World["as"]>[0]) => {
      const stream = instance.client.readSessionLog({ sessionId: id }, world.as(principal));
      return (await refusal(drain(stream)))?.reason;
    };
    for (const id of [sessionId, worker]) {
      assert.equal(await reasonFor(id, { projectId: "prj_other" }), Reason.NOT_FOUND);
      assert.equal(await reasonFor(id, { agentId: "agt_other" }), Reason.NOT_FOUND);
      assert.equal(await reasonFor(id, { sessionId: id }), Reason.FORBIDDEN);
      assert.equal(await reasonFor(id, { tokenId: "tok_1" }), Reason.FORBIDDEN);
      assert.equal(await reasonFor(id, { permissions: new Set(["agents"]) }), Reason.FORBIDDEN);
    }
    for (const id of ["ses_unknown", "exe_unknown"]) assert.equal(await reasonFor(id, {}), Reason.NOT_FOUND);
    assert.equal(await reasonFor("", {}), Reason.INVALID_REQUEST);
  });

  test("an expired session has no log, a session restored soon has it again, and a swept one loses it", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Hello." }] }]);
    const instance = await world.addInstance({ timings: { sweepEveryMs: 20 } });
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    const { entries } = await logOf(world, instance, sessionId);
    await instance.client.clearSession({ sessionId }, world.as());
    assert.deepEqual(await logOf(world, instance, sessionId), {
      entries: [],
      total: 0,
      truncated: false,
      active: false,
    });
    await instance.client.restoreSession({ sessionId, messagesJson: "[]" }, world.as());
    assert.deepEqual((await logOf(world, instance, sessionId)).entries, entries);
    await instance.client.clearSession({ sessionId }, world.as());
    world.clock.advance(2 * 3_600_000);
    await until(async () => (await world.logs.countDocuments()) === 0);
  });
});

describe("the execution log and its store", () => {
  test("a turn whose log cannot be stored ends as always, and the next one has its log", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Hello." }] }, { parts: [{ text: "Again." }] }]);
    const { log, lines } = captureLog();
    const instance = await world.addInstance({}, { log });
    const sessionId = await openSession(world, instance);
    // An insert of the first turn's entries meets this document.
    await world.logs.insertOne({ ...emptyLog, _id: logId(sessionId, 1, 1), sessionId });
    const events = await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    assert.equal(events.at(-1)?.type, "finish");
    assert.equal(lines.length, 1, lines.join(""));
    await world.logs.deleteOne({ _id: logId(sessionId, 1, 1) });
    await readAll(instance.client.trigger(say(sessionId, "Hi again"), world.as()));
    const { entries } = await logOf(world, instance, sessionId);
    assert.deepEqual(typesAfterRequest(entries), ["trigger", "message", "llm-response", "step-stats"]);
  });

  test("entries that are kept as long as their session still expire for workers, which nothing else removes", async (t) => {
    const world = await startWorkerWorld(t, [{ parts: [{ text: "Hello." }] }, reports]);
    const instance = await world.addInstance({ executionLog: { keepMs: 0 } });
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    await readAll(instance.client.executeWorker(start(), world.as()));
    await until(async () => (await world.logs.countDocuments()) === 2);
    const stored = await world.logs.find().toArray();
    for (const { sessionId: id, expiresAt } of stored) assert.equal(expiresAt === null, id === sessionId, id);
  });

  test("with logs off, nothing is recorded and the log is empty", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Hello." }] }]);
    const instance = await world.addInstance({ executionLog: { isOn: false } });
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    assert.equal(await world.logs.countDocuments(), 0);
    assert.deepEqual((await logOf(world, instance, sessionId)).entries, []);
  });

  test("no credential enters the log, whether it is configured, sent by a user or repeated by a provider", async (t) => {
    const secrets = [
      "svc_sk_plantedInTheMessage123",
      "sk-proj-plantedInTheResult4567890",
      "plantedSignature0123456789",
      "plantedBearerToken0123456789",
      "the-configured-provider-key",
    ];
    const [key, providerKey, signature, token, configured] = secrets;
    const world = await startWorld(t, [
      asksForOrder,
      { status: 400, error: { message: `The key ${configured} may not use ${providerKey}` } },
    ]);
    const models = createModels(
      readModelsConfig({ LOCAL_BASE_URL: world.provider.baseUrl, LOCAL_API_KEY: configured }),
    );
    const instance = await world.addInstance({}, { models });
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, `My key is ${key}. Why?`), world.as()));
    const answer = {
      url: `https://files.example/a.png?X-Amz-Signature=${signature}`,
      note: [`use ${providerKey}`, `authorization: Bearer ${token}`],
    };
    const toolResults = [result("call_1", answer)];
    await readAll(instance.client.trigger({ sessionId, triggerName: "say", toolResults }, world.as()));
    const stored = JSON.stringify(await world.logs.find().toArray());
    assert.match(stored, /files\.example/);
    for (const secret of secrets) assert.ok(!stored.includes(secret), secret);
    assert.ok(!stored.includes("key_test"), "the principal");
  });
});

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const emptyLog = {
  projectId: "prj_test",
  agentId: "agt_chat",
  executionId: "exe_0",
  ...{ count: 0, requests: 0, length: 0, entries: "" },
  createdAt: new Date(0),
  expiresAt: null,
};

function captureLog() {
  const lines: string[] = [];
  const log = createLogger({
    name: "test",
    level: "warn",
    destination: { write: (line) => void lines.push(line) },
  });
  return { log, lines };
}
