import assert from "node:assert/strict";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { View } from "@muster/proto/sessions";
import { FairQueue } from "@muster/service";
import { chargeJson, until } from "@muster/testing";
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

async function* writing(text: string): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "text-start", id: "0" };
  yield { type: "text-delta", id: "0", delta: text };
}

describe("large data of many in one moment", () => {
  test("readers of a large session or log entry wait for their turn, and each gets all of it", async (t) => {
    const world = await startWorld(t);
    const text = "abcdefghij".repeat(300_000);
    const models = modelsThat(async function* () {
      yield* writing(text);
      yield { type: "text-end", id: "0" };
      yield finished;
    });
    const instance = await world.addInstance({}, { models });
    const { client } = instance;
    const sessionId = await openSession(world, instance);
    await readAll(client.trigger(say(sessionId, "go"), world.as()));

    const lines: string[] = [];
    for await (const { entriesJson } of client.readSessionLog({ sessionId }, world.as()))
      lines.push(...entriesJson);
    const { id: entryId } = lines.map((line) => JSON.parse(line)).find(({ type }) => type === "llm-response");
    const readEntry = async () => {
      let json = "";
      for await (const { entryJson } of client.readLogEntry({ sessionId, entryId }, world.as()))
        json += entryJson;
      return JSON.parse(json);
    };
    for (const entry of await Promise.all(Array.from({ length: 8 }, readEntry))) {
      assert.ok(entry.text === text);
    }

    const read = () => readSession(client, { sessionId, view: View.UI }, world.as());
    for (const { messages } of await Promise.all(Array.from({ length: 8 }, read))) {
      assert.ok(messages[1]?.parts[0]?.text === text);
    }
  });

  test("turns with long responses whose readers are cut at once wait for their end, and each is stored", async (t) => {
    const world = await startWorld(t);
    const text = "abcdefghij".repeat(100_000);
    const models = modelsThat(async function* () {
      yield* writing(text);
      await new Promise(() => undefined);
    });
    const turnEnds = new FairQueue({ running: text.length });
    const instance = await world.addInstance({}, { models, turnEnds });
    const sessionIds = await Promise.all(Array.from({ length: 12 }, () => openSession(world, instance)));
    const cut = new AbortController();
    const begun = sessionIds.map(async (sessionId) => {
      const options = world.as({}, { signal: cut.signal });
      const events = eventsOf(instance.client.trigger(say(sessionId, "go"), options));
      while ((await events.next()).value?.type !== "text-delta");
    });
    await Promise.all(begun);

    const charged = chargeJson(t);
    const end = Promise.withResolvers<void>();
    void turnEnds.run("another project", () => end.promise, { size: text.length });
    cut.abort();
    await until("all of them wait", () => turnEnds.waiting === sessionIds.length);
    end.resolve();
    for (const sessionId of sessionIds) {
      await until("the turn is stored", async () => (await world.document(sessionId)).lease === null);
    }
    assert.ok(charged.totalMs() > 150, `${charged.totalMs()} ms in all`);
    assert.ok(charged.longestMs() < 60, `${charged.longestMs()} ms in one tick`);
    for (const sessionId of sessionIds) {
      const [, answer] = await messagesOf(world, instance, sessionId);
      assert.ok(answer?.parts[0]?.text === text);
    }
  });
});
