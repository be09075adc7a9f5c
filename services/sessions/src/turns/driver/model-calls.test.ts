import assert from "node:assert/strict";
import { createModels, type Models, noProjectKeys, readModelsConfig } from "@muster/models";
import { test } from "vitest";
import { ModelCalls } from "./model-calls.ts";

const noFiles = {
  problemOf: () => undefined,
  deliver: async () => assert.fail("The call has no files."),
  end: () => undefined,
};

function callsWith(askForKeys: () => Promise<typeof noProjectKeys>) {
  const { limits, resolve } = createModels(readModelsConfig({ OPENAI_API_KEY: "key" }));
  const looked: string[] = [];
  const models: Pick<Models, "resolve" | "limits"> = {
    limits,
    resolve: (modelId, keys) => {
      looked.push(modelId);
      return resolve(modelId, keys);
    },
  };
  return { calls: new ModelCalls(models, askForKeys, () => noFiles), looked };
}

test("workers that need models at the same time share one question for the project's keys and one look-up of each model", async () => {
  let questions = 0;
  const { calls, looked } = callsWith(async () => {
    questions += 1;
    return noProjectKeys;
  });
  const ids = ["openai/gpt-5", "openai/gpt-5", "demo/echo", "openai/gpt-5-mini", "demo/echo"];
  const problems = await Promise.all([...ids, ...ids].map((modelId) => calls.problemOf(modelId)));
  assert.deepEqual(new Set(problems), new Set([undefined]));
  assert.equal(questions, 1);
  assert.deepEqual(looked.toSorted(), ["demo/echo", "openai/gpt-5", "openai/gpt-5-mini"]);
});

test("a question for the keys that fails is asked again by the next call", async () => {
  let isDown = true;
  const { calls } = callsWith(async () => {
    if (isDown) throw new Error("The auth service is down.");
    return noProjectKeys;
  });
  const both = await Promise.allSettled([calls.problemOf("openai/gpt-5"), calls.problemOf("openai/gpt-5")]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  isDown = false;
  assert.equal(await calls.problemOf("openai/gpt-5"), undefined);
});
