import assert from "node:assert/strict";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { View } from "@muster/proto/sessions";
import { describe, test } from "vitest";
import {
  eventsOf,
  messagesOf,
  openSession,
  readAll,
  readSession,
  say,
  startWorld,
} from "./support/harness.ts";
import { finished, modelsThat } from "./support/scripted-model.ts";

async function* deltas(...texts: string[]): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "text-start", id: "0" };
  for (const delta of texts) yield { type: "text-delta", id: "0", delta };
  yield { type: "text-end", id: "0" };
  yield finished;
}

describe("a large response", () => {
  test("a response in one part of 5 MB arrives and is kept", async (t) => {
    const world = await startWorld(t);
    const text = "abcdé".repeat(1_000_000);
    const instance = await world.addInstance({}, { models: modelsThat(() => deltas(text)) });
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "go"), world.as()));
    assert.ok(events.some(({ delta }) => delta === text));
    assert.equal(events.at(-1)?.type, "finish");
    const [, answer] = await messagesOf(world, instance, sessionId);
    assert.ok(answer?.parts[0]?.text === text);
  });

  test("the largest conversation that can be stored can be read in the full format, with its text twice", async (t) => {
    const world = await startWorld(t);
    const text = "abcdefghij".repeat(1_000_000);
    const instance = await world.addInstance({}, { models: modelsThat(() => deltas(text)) });
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "go"), world.as()));
    assert.equal(events.at(-1)?.type, "finish");
    const { messages } = await readSession(instance.client, { sessionId, view: View.FULL }, world.as());
    assert.ok(messages[1]?.content === text && messages[1].parts[0]?.text === text);
  });

  test("a response in 30,000 parts arrives and is kept", async (t) => {
    const world = await startWorld(t);
    const texts = Array.from({ length: 30_000 }, (_, n) => String(n % 10));
    const instance = await world.addInstance({}, { models: modelsThat(() => deltas(...texts)) });
    const sessionId = await openSession(world, instance);
    let count = 0;
    for await (const { type } of eventsOf(instance.client.trigger(say(sessionId, "go"), world.as()))) {
      if (type === "text-delta") count += 1;
    }
    assert.equal(count, texts.length);
    const [, answer] = await messagesOf(world, instance, sessionId);
    assert.ok(answer?.parts[0]?.text === texts.join(""));
  });

  test("a response with a part larger than any message ends in an error event instead of a broken stream", async (t) => {
    const world = await startWorld(t);
    // Six bytes of JSON each.
    const text = "\u0001".repeat(5_000_000);
    const instance = await world.addInstance({}, { models: modelsThat(() => deltas(text)) });
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "go"), world.as()));
    assert.deepEqual([events.at(-1)?.type, events.at(-1)?.code], ["error", "PAYLOAD_TOO_LARGE"]);
    assert.equal((await world.document(sessionId)).lease, null);
  });

  for (const kind of ["text", "reasoning", "tool-input"] as const) {
    test(`a response whose ${kind} never ends is cut when it becomes too large to store`, async (t) => {
      const world = await startWorld(t);
      let left = false;
      async function* endless(signal: AbortSignal | undefined): AsyncGenerator<LanguageModelV4StreamPart> {
        try {
          if (kind === "tool-input") yield { type: "tool-input-start", id: "0", toolName: "get-order" };
          else yield { type: `${kind}-start`, id: "0" };
          while (!signal?.aborted) yield { type: `${kind}-delta`, id: "0", delta: "x".repeat(1_000) };
        } finally {
          left = true;
        }
      }
      const instance = await world.addInstance({ maxStateBytes: 50_000 }, { models: modelsThat(endless) });
      const sessionId = await openSession(world, instance);
      const events = await readAll(instance.client.trigger(say(sessionId, "go"), world.as()));
      assert.deepEqual([events.at(-1)?.type, events.at(-1)?.code], ["error", "PAYLOAD_TOO_LARGE"]);
      assert.ok(left, "the model was let go");
    });
  }
});
