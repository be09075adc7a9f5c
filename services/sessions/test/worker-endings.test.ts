import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { research } from "./support/definitions.ts";
import { type Event, eventsOf, type Instance, readAll, refusal, type World } from "./support/harness.ts";
import {
  asksForOwls,
  eventOf,
  executionIdOf,
  goOn,
  reports,
  start,
  startPaused,
  startWorkerWorld,
  storedExecutions,
} from "./support/worker-harness.ts";

const hangs = { parts: [{ text: "Half" }], ending: "hang" as const };
const outputOf = (events: readonly Event[]) => eventOf(events, "worker-result")?.output;

function send(world: World, { client }: Instance, request: object) {
  return readAll(client.executeWorker(request, world.as()));
}

describe("a worker whose caller leaves", () => {
  test("a worker whose caller leaves during the first request stops calling its model and ends", async (t) => {
    const world = await startWorkerWorld(t, [hangs]);
    const instance = await world.addInstance();
    const executionId = await leaveAtFirstWord(world, instance, start());
    const refused = await refusal(send(world, instance, goOn(executionId)));
    assert.equal(refused.reason, Reason.UNKNOWN_TOOL_CALL);
  });

  test("a worker whose caller leaves during a continuation stops, and continues from the pause when asked again", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, hangs, reports]);
    const instance = await world.addInstance();
    const executionId = await startPaused(world, instance);
    const [before] = await storedExecutions(world);
    await leaveAtFirstWord(world, instance, goOn(executionId));
    const [after] = await storedExecutions(world);
    assert.deepEqual([after?.execution, after?.expiresAt], [before?.execution, before?.expiresAt]);
    assert.equal(outputOf(await send(world, instance, goOn(executionId))), "Owls fly by night.");
  });

  async function leaveAtFirstWord(world: World, { client }: Instance, request: object): Promise<string> {
    const aborter = new AbortController();
    const stream = client.executeWorker(request, world.as({}, { signal: aborter.signal }));
    const seen: Event[] = [];
    await assert.rejects(async () => {
      for await (const event of eventsOf(stream)) {
        seen.push(event);
        if (event.type === "text-delta") aborter.abort();
      }
    });
    await world.provider.requests.at(-1)?.clientGone;
    await until("the execution is free", async () => (await storedExecutions(world))[0]?.lease === null);
    return executionIdOf(seen);
  }
});

describe("a continuation that fails", () => {
  const answers = (status: number) => ({ status, error: { message: "No." } });

  test("a continuation that fails transiently continues from the pause when it is sent again", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, answers(503), reports]);
    const instance = await world.addInstance();
    const executionId = await startPaused(world, instance);
    const failed = await send(world, instance, goOn(executionId));
    assert.deepEqual([failed.at(-1)?.type, failed.at(-1)?.retryable], ["error", true]);
    assert.equal(typeof eventOf(failed, "worker-result")?.error, "string");
    assert.equal(outputOf(await send(world, instance, goOn(executionId))), "Owls fly by night.");
  });

  test("a continuation that fails permanently ends the execution", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, answers(401)]);
    const instance = await world.addInstance();
    const executionId = await startPaused(world, instance);
    const failed = await send(world, instance, goOn(executionId));
    assert.deepEqual([failed.at(-1)?.type, failed.at(-1)?.retryable], ["error", false]);
    const refused = await refusal(send(world, instance, goOn(executionId)));
    assert.equal(refused.reason, Reason.UNKNOWN_TOOL_CALL);
  });
});

describe("a worker that cannot end normally", () => {
  test("a worker whose output is too large to send has an error as its result, and no output", async (t) => {
    const world = await startWorkerWorld(t, [{ parts: [{ text: Array<string>(12_000).fill('"') }] }]);
    const instance = await world.addInstance({ maxStateBytes: 20_000 });
    const events = await send(world, instance, start());
    const [told, last] = events.slice(-2);
    assert.deepEqual([told?.type, told?.output, told?.error], ["worker-result", undefined, last?.message]);
    assert.deepEqual([last?.type, last?.code], ["error", "PAYLOAD_TOO_LARGE"]);
  });

  test("a worker is stopped if its steps together write more than can be stored", async (t) => {
    const writes = (id: string) => ({
      parts: [
        { text: ["x".repeat(8_000)] },
        { toolCall: { id, name: "platform_todo_write", arguments: { todos: [] } } },
      ],
    });
    const world = await startWorkerWorld(t, [writes("call_a"), writes("call_b"), writes("call_c")]);
    const withList = research.protocol.replace("agentic: true", "agentic: true\n    todoList: true");
    world.agents.set("agt_research", [{ ...research, protocol: withList }]);
    const instance = await world.addInstance({ maxStateBytes: 20_000 });
    const last = (await send(world, instance, start())).at(-1);
    assert.deepEqual([last?.type, last?.code], ["error", "PAYLOAD_TOO_LARGE"]);
  });

  test("a worker that fails because of a bug in the platform has a result too", async (t) => {
    const world = await startWorkerWorld(t);
    const { resolve, ...models } = world.createModels();
    const breaks = async (modelId: string) => {
      const resolved = await resolve(modelId);
      if (!resolved.ok) return resolved;
      const neverThoughtOf = () => assert.fail("Never thought of");
      return { ...resolved, model: new Proxy(resolved.model, { get: neverThoughtOf }) };
    };
    const instance = await world.addInstance({}, { models: { ...models, resolve: breaks } });
    const [told, last] = (await send(world, instance, start())).slice(-2);
    assert.deepEqual([told?.type, told?.error], ["worker-result", last?.message]);
    assert.deepEqual([last?.type, last?.code], ["error", "INTERNAL"]);
  });
});
