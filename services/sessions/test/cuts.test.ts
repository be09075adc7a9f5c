import assert from "node:assert/strict";
import { createModels, readModelsConfig } from "@muster/models";
import {
  type ScriptedAnswer,
  type ScriptedPart,
  type ScriptedProvider,
  scriptedTargets,
  startScriptedProvider,
} from "@muster/models/testing";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { chat } from "./support/definitions.ts";
import {
  type Event,
  eventsOf,
  type Instance,
  messagesOf,
  openSession,
  readAll,
  result,
  say,
  startWorld,
  textOf,
  type World,
} from "./support/harness.ts";

const todos = { todos: [{ content: "Look", status: "pending" }] };
/** Two calls for the caller, one that the platform carries out, and one that has no executor. */
const parts: ScriptedPart[] = [
  { reasoning: "Let me" },
  { text: "I will" },
  {
    toolCalls: [
      { name: "get-order", arguments: { number: "7" } },
      { name: "send-mail", arguments: { to: "Ann" } },
      { name: "platform_todo_write", arguments: todos },
      { name: "constructor", arguments: {} },
    ],
  },
];
const endings: Record<string, Partial<ScriptedAnswer>> = {
  "a broken connection": { ending: "cut" },
  "an end without a finish reason": { ending: "stop-short" },
  "an error event": { ending: "error" },
  "the limit of its length": { finish: "length" },
  "a content filter": { finish: "content-filter" },
};

const more = { parts: [{ text: "More." }] };
/** `npm run test:long` cuts at every point; in the suite each provider has its own share of them. */
const stride = process.env.LONG_RUN === undefined ? 24 : 1;

// A turn is cut at every point, in every way, with every provider's own package. The session must answer the next
// message, and the scripted provider fails the test if a conversation breaks that provider's rules.
for (const [index, { format, modelId, environment }] of scriptedTargets.entries()) {
  const first = index % stride;
  describe(`a session with ${modelId} over ${format}`, () => {
    let world: World;
    let instance: Instance;
    let provider: ScriptedProvider;
    const scope = suiteScope();
    beforeAll(async () => {
      world = await startWorld(scope);
      const protocol = chat.protocol.replace("agent:\n", "agent:\n  thinking: high\n  todoList: true\n");
      world.agents.set("agt_chat", [{ ...chat, protocol }]);
      provider = await startScriptedProvider(scope, { format, steps: [] });
      const models = createModels(readModelsConfig(environment(provider.baseUrl)));
      instance = await world.addInstance({}, { models });
    });

    const open = () => openSession(world, instance, { MODEL: modelId });
    const trigger = (request: object, signal?: AbortSignal) =>
      instance.client.trigger(request, world.as({}, signal && { signal }));
    const send = (request: object) => readAll(trigger(request));
    const goOn = ([start]: Event[], sessionId: string, toolResults: object[]) =>
      send({ sessionId, executionId: String(start?.executionId), toolResults });

    /** The session is free, answers, and shows nothing that is still open. */
    async function assertAnswers(sessionId: string, when: string): Promise<void> {
      await until(
        `the session is free ${when}`,
        async () => (await world.document(sessionId)).lease === null,
      );
      provider.replace({ parts: [{ text: "Fine." }] });
      const events = await send(say(sessionId, "Well?"));
      assert.deepEqual([textOf(events), events.at(-1)?.finishReason], ["Fine.", "stop"], when);
      for (const message of await messagesOf(world, instance, sessionId)) {
        const statuses = message.parts.map(({ status }) => status);
        assert.ok(
          !statuses.some((status) => ["streaming", "pending", "running"].includes(String(status))),
          when,
        );
      }
    }

    for (const [title, ending] of Object.entries(endings)) {
      test(`a session with ${modelId} over ${format} answers after a reply ended anywhere with ${title}`, async () => {
        const sessionId = await open();
        let isWhole = false;
        for (let chunks = first; !isWhole; chunks += stride) {
          provider.replace({ parts, ...ending, chunks }, more);
          const before = provider.chunksSent;
          await send(say(sessionId, "Order 7?"));
          isWhole = provider.chunksSent - before < chunks;
          await assertAnswers(sessionId, `after ${chunks} chunks`);
        }
      });
    }

    for (const [title, outcomes] of Object.entries({
      all: [0, 1],
      some: [1],
      no: [],
    })) {
      test(`a session with ${modelId} over ${format} answers after ${title} results, wherever the next reply breaks off`, async () => {
        const sessionId = await open();
        let isWhole = false;
        for (let chunks = first; !isWhole; chunks += stride) {
          provider.replace({ parts });
          const asked = await send(say(sessionId, "Order 7?"));
          const request = asked.find(({ type }) => type === "tool-request");
          const calls = Array.isArray(request?.toolCalls) ? request.toolCalls : [];
          assert.equal(calls.length, 2);
          const results = outcomes.map((index) =>
            result(calls[index].toolCallId, index === 0 ? { n: 1 } : ""),
          );
          provider.replace({ parts, ending: "cut", chunks }, more);
          const before = provider.chunksSent;
          if (title === "no") await send({ ...say(sessionId, "Never mind.") });
          else await goOn(asked, sessionId, results);
          isWhole = provider.chunksSent - before < chunks;
          await assertAnswers(sessionId, `after ${chunks} chunks`);
        }
      });
    }

    for (const how of ["leaves", "cancels"] as const) {
      test(`a session with ${modelId} over ${format} answers after its caller ${how} at any event`, async () => {
        const sessionId = await open();
        const call = { toolCall: { name: "platform_todo_write", arguments: todos } };
        for (let count = 1 + first, isOver = false; !isOver; count += stride) {
          const step = { parts: [...parts.slice(0, 2), call], chunkDelayMs: 0 };
          provider.replace(step, { parts: [{ text: "All done." }], chunkDelayMs: 0 });
          const leaving = new AbortController();
          const events = eventsOf(trigger(say(sessionId, "Look"), leaving.signal));
          for (let read = 0; read < count && !isOver; read += 1) isOver = (await events.next()).done === true;
          if (how === "leaves") leaving.abort();
          else await instance.client.cancelExecution({ sessionId }, world.as());
          await drain(events, how);
          await assertAnswers(sessionId, `after ${count} events`);
        }
      });
    }
  });
}

async function drain(events: AsyncIterable<unknown>, how: "leaves" | "cancels"): Promise<void> {
  try {
    for await (const _ of events);
  } catch (error) {
    if (how === "cancels") throw error;
  }
}
