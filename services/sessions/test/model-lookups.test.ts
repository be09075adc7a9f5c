import assert from "node:assert/strict";
import type { Models } from "@muster/models";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import { chatWithBackup } from "./support/definitions.ts";
import { openSession, readAll, refusal, say, startWorld, textOf } from "./support/harness.ts";
import {
  asksForOwls,
  goOn,
  reports,
  start,
  startPaused,
  startWorkerWorld,
} from "./support/worker-harness.ts";

describe("the models of a turn", () => {
  test("a turn that calls two models looks each of them up once", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Half an " }], ending: "cut" }]);
    world.agents.set("agt_chat", [chatWithBackup]);
    const { models, lookups } = counted(world.createModels());
    const instance = await world.addInstance({}, { models });
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
    assert.match(textOf(events), /You said: hi/);
    assert.deepEqual(lookups, ["local/scripted", "demo/echo"]);
  });

  test("a turn that is continued with tool results looks its model up again", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const { models, lookups } = counted(world.createModels());
    const instance = await world.addInstance({}, { models });
    const executionId = await startPaused(world, instance);
    await readAll(instance.client.executeWorker(goOn(executionId), world.as()));
    assert.deepEqual(lookups, ["local/scripted", "local/scripted"]);
  });

  test("a turn whose model is no longer configured is refused", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls]);
    const { resolve, ...models } = world.createModels();
    let isConfigured = true;
    const resolveWhileConfigured: Models["resolve"] = async (modelId) =>
      isConfigured ? resolve(modelId) : { ok: false, problem: "Set LOCAL_BASE_URL." };
    const instance = await world.addInstance({}, { models: { ...models, resolve: resolveWhileConfigured } });
    const executionId = await startPaused(world, instance);
    isConfigured = false;
    for (const request of [goOn(executionId), start()]) {
      const refused = await refusal(readAll(instance.client.executeWorker(request, world.as())));
      assert.equal(refused.reason, Reason.MODEL_NOT_RUNNABLE);
      assert.equal(refused.message, "Set LOCAL_BASE_URL.");
    }
  });
});

function counted({ resolve, ...models }: Models) {
  const lookups: string[] = [];
  const noted: Models["resolve"] = (modelId) => {
    lookups.push(modelId);
    return resolve(modelId);
  };
  return { models: { ...models, resolve: noted }, lookups };
}
