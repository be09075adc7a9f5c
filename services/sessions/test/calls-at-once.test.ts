import assert from "node:assert/strict";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { type Catalog, createCatalog } from "@muster/catalog";
import type { Models } from "@muster/models";
import { describe, test } from "vitest";
import type { SessionStore } from "../src/store/session-store.ts";
import { startBare } from "./support/bare-trigger.ts";
import { openSession, readAll, say, startWorld } from "./support/harness.ts";
import { finished, modelsThat } from "./support/scripted-model.ts";

const slugs = ["find-a", "find-b", "find-c", "find-d"];

const chat = `
triggers:
  say: { input: { TEXT: { type: string } } }
agent:
  model: demo/echo
  workers: [${slugs.join(", ")}]
  agentic: true
workers:
${slugs.map((slug) => `  ${slug}: { description: Finds, display: stream }`).join("\n")}
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT] }
    Answer: { block: next-message }
`;

const finder = `
input:
  TOPIC: { type: string, default: night }
variables:
  FOUND: { type: string }
steps:
  Open: { block: start-thread, thread: main, model: demo/echo }
  Ask: { block: add-message, role: user, prompt: task, input: [TOPIC] }
  Answer: { block: next-message, output: FOUND }
output: FOUND
`;

/** Calls all workers in its first step, then answers. The input of the workers ends at the same time. */
function callsAll(ending: Promise<void>, seen = { calls: 0, waiting: 0 }): Models {
  const others = Promise.withResolvers<void>();
  const end = async () => {
    seen.waiting += 1;
    if (seen.waiting === slugs.length - 1) others.resolve();
    await ending;
  };
  const models = modelsThat(async function* () {});
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doStream: async (options) => {
      seen.calls += 1;
      return { stream: ReadableStream.from(talk(options, end, others.promise)) };
    },
    doGenerate: () => Promise.reject(new Error("Not called")),
  };
  return { ...models, resolve: async () => ({ ok: true, model }) };
}

async function* talk(
  { tools = [], prompt }: LanguageModelV4CallOptions,
  end: () => Promise<void>,
  others: Promise<void>,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const isCaller = tools.some(({ name }) => slugs.includes(name));
  if (!isCaller && tools.length > 0 && prompt.every(({ role }) => role !== "tool")) {
    const input = JSON.stringify({ todos: [{ content: "Look", status: "pending" }] });
    await others;
    yield { type: "tool-call", toolCallId: "list", toolName: "platform_todo_write", input };
    yield finished;
    return;
  }
  if (isCaller && prompt.every(({ role }) => role !== "tool")) {
    for (const { name } of tools) yield { type: "tool-call", toolCallId: name, toolName: name, input: "{}" };
    yield finished;
    return;
  }
  yield { type: "text-start", id: "0" };
  yield { type: "text-delta", id: "0", delta: "Found." };
  yield { type: "text-end", id: "0" };
  if (!isCaller) await end();
  yield finished;
}

describe("several model calls at the same time", () => {
  test("workers that end at the same moment are stored one after the other, each with all events before it", async (t) => {
    const world = await startWorld(t);
    const prompts = { message: "{{TEXT}}", task: "{{TOPIC}}" };
    world.agents.set("agt_chat", [{ prompts, protocol: chat }]);
    for (const slug of slugs)
      world.agents.set(slug.replace("-", "_"), [{ format: "worker", prompts, protocol: finder }]);
    const ending = Promise.withResolvers<void>();
    const { client, context } = await startBare(t, world, { models: callsAll(ending.promise) });
    const sessionId = await openSession(world, await world.addInstance(), {});
    const { save } = context.store;
    let [running, most, saves] = [0, 0, 0];
    context.store.save = async (...args: Parameters<SessionStore["save"]>) => {
      running += 1;
      saves += 1;
      most = Math.max(most, running);
      // The first write follows the calls; the others follow the ends of workers.
      setImmediate(ending.resolve);
      try {
        return await save(...args);
      } finally {
        running -= 1;
      }
    };
    const events = await readAll(client.trigger(say(sessionId, "all"), world.as()));
    assert.deepEqual([events.at(-1)?.type, events.at(-1)?.finishReason], ["finish", "stop"]);
    assert.equal(most, 1, `${most} of ${saves} writes at the same time`);
    for (const [index, event] of events.entries())
      if (event.type === "persisted") assert.equal(event.sequence, index + 1);
  });

  test("after a call has failed unexpectedly, another one that was being stored calls its model no more", async (t) => {
    const world = await startWorld(t);
    const prompts = { message: "{{TEXT}}", task: "{{TOPIC}}" };
    world.agents.set("agt_chat", [{ prompts, protocol: chat }]);
    for (const slug of slugs) {
      const protocol = slug === "find-a" ? finder.replace("echo }", "echo, todoList: true }") : finder;
      world.agents.set(slug.replace("-", "_"), [{ format: "worker", prompts, protocol }]);
    }
    const ending = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<void>();
    const seen = { calls: 0, waiting: 0 };
    const models = callsAll(ending.promise, seen);
    let isBroken = false;
    const catalog = createCatalog();
    const costOf: Catalog["costOf"] = (...args) => {
      if (!isBroken) return catalog.costOf(...args);
      // The turn learns of it in its next steps.
      setImmediate(() => setImmediate(failed.resolve));
      throw new Error("A fault");
    };
    const { client, context } = await startBare(t, world, { models, catalog: { ...catalog, costOf } });
    const sessionId = await openSession(world, await world.addInstance(), {});
    const { save } = context.store;
    const stored = Promise.withResolvers<void>();
    context.store.save = async (...args: Parameters<SessionStore["save"]>) => {
      const result = await save(...args);
      // The worker with a list continues when all others wait, and is stored before its next step.
      if (seen.waiting === slugs.length - 1 && !isBroken) {
        isBroken = true;
        ending.resolve();
        await failed.promise;
        setImmediate(stored.resolve);
      }
      return result;
    };
    const events = await readAll(client.trigger(say(sessionId, "all"), world.as()));
    assert.equal(events.at(-1)?.type, "error");
    await stored.promise;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(seen.calls, 1 + slugs.length);
  });
});
