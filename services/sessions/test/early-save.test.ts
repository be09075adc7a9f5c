import assert from "node:assert/strict";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import type { SessionStore } from "../src/store/session-store.ts";
import { startBare } from "./support/bare-trigger.ts";
import {
  type Event,
  eventsOf,
  type Instance,
  messagesOf,
  openSession,
  readAll,
  say,
  startWorld,
  textOf,
  type World,
} from "./support/harness.ts";
import { finished, modelsThat } from "./support/scripted-model.ts";

const timings = { earlySaveMs: 20 };

/** Sends half of its response, and the rest on command. */
function halting() {
  const hold = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  async function* talk(signal: AbortSignal | undefined): AsyncGenerator<LanguageModelV4StreamPart> {
    signal?.addEventListener("abort", () => gone.resolve());
    yield { type: "text-start", id: "0" };
    yield { type: "text-delta", id: "0", delta: "First " };
    await Promise.race([hold.promise, gone.promise]);
    yield { type: "text-delta", id: "0", delta: "last." };
    yield { type: "text-end", id: "0" };
    yield finished;
  }
  return { models: modelsThat(talk), goOn: () => hold.resolve() };
}

async function readUntil(events: AsyncIterator<Event>, type: string): Promise<Event[]> {
  const seen: Event[] = [];
  while (seen.at(-1)?.type !== type) {
    const { value, done } = await events.next();
    assert.ok(!done, `the stream ended before ${type}`);
    seen.push(value);
  }
  return seen;
}

describe("a long first step", () => {
  test("a long first step can be read while it runs, and its stream reports the save", async (t) => {
    const world = await startWorld(t);
    const { models, goOn } = halting();
    const instance = await world.addInstance({ timings }, { models });
    const sessionId = await openSession(world, instance);
    const events = eventsOf(instance.client.trigger(say(sessionId, "hi"), world.as()));
    const seen = await readUntil(events, "persisted");
    const persisted = seen.at(-1);
    assert.equal(persisted?.messageId, seen[0]?.messageId);
    // No event was sent between the last one and the write.
    assert.equal(persisted?.sequence, seen.length - 1);
    assert.deepEqual(await glance(world, instance, sessionId), [
      ["user", "done", "hi"],
      ["assistant", "streaming", "First "],
    ]);
    goOn();
    const rest = await readUntil(events, "finish");
    assert.equal(textOf([...seen, ...rest]), "First last.");
    assert.deepEqual(await glance(world, instance, sessionId), [
      ["user", "done", "hi"],
      ["assistant", "done", "First last."],
    ]);
    const { lease, execution } = await world.document(sessionId);
    assert.deepEqual([lease, execution], [null, null]);
  });

  test("a long first step notices through its early write that the session was cleared", async (t) => {
    const world = await startWorld(t);
    const { models } = halting();
    const holder = await world.addInstance({ timings: { earlySaveMs: 200 } }, { models });
    const caller = await world.addInstance();
    const sessionId = await openSession(world, holder);
    const events = eventsOf(holder.client.trigger(say(sessionId, "hi"), world.as()));
    await readUntil(events, "text-delta");
    world.bus.isDeaf = true;
    await caller.client.clearSession({ sessionId }, world.as());
    const cleared = await world.document(sessionId);
    const last = (await readUntil(events, "error")).at(-1);
    assert.equal(last?.code, "SESSION_EXPIRED");
    assert.deepEqual(await world.document(sessionId), cleared);
  });

  test("a turn is not overwritten after its end, even if the early write arrives late", async (t) => {
    const world = await startWorld(t);
    const { models, goOn } = halting();
    const { client, context } = await startBare(t, world, { models, ...timings });
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const begun = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const order: string[] = [];
    const { save, settle } = context.store;
    context.store.save = async (...args: Parameters<SessionStore["save"]>) => {
      begun.resolve();
      await late.promise;
      order.push("save");
      return save(...args);
    };
    context.store.settle = (...args: Parameters<SessionStore["settle"]>) => {
      order.push("settle");
      return settle(...args);
    };
    const events = eventsOf(client.trigger(say(sessionId, "hi"), world.as()));
    await readUntil(events, "text-delta");
    await begun.promise;
    goOn();
    await readUntil(events, "text-end");
    late.resolve();
    await readUntil(events, "finish");
    assert.deepEqual(order, ["save", "settle"]);
    assert.deepEqual(await glance(world, instance, sessionId), [
      ["user", "done", "hi"],
      ["assistant", "done", "First last."],
    ]);
  });

  test("a long first step continues if the early write fails", async (t) => {
    const world = await startWorld(t);
    const { models, goOn } = halting();
    const { client, context } = await startBare(t, world, { models, ...timings });
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    let tried = false;
    context.store.save = async () => {
      tried = true;
      throw new Error("The disk is full.");
    };
    const turn = readAll(client.trigger(say(sessionId, "hi"), world.as()));
    await until("the write was attempted", () => tried);
    goOn();
    assert.equal((await turn).at(-1)?.type, "finish");
    assert.equal((await glance(world, instance, sessionId)).length, 2);
  });
});

describe("the commands to the store, besides that of the log", () => {
  test("a plain turn costs two: one locks and loads, one stores and frees; the next one first keeps its events", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Hello." }] }, { parts: [{ text: "Again." }] }]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const { client, commands } = await startBare(t, world);
    assert.equal(textOf(await readAll(client.trigger(say(sessionId, "hi"), world.as()))), "Hello.");
    assert.equal(textOf(await readAll(client.trigger(say(sessionId, "and?"), world.as()))), "Again.");
    assert.deepEqual(commands, [
      ...["findAndModify sessions", "update sessions"],
      ...["findAndModify sessions", "insert execution_events", "update sessions"],
    ]);
  });

  test("a long first step costs a turn one command more for its session, however long it takes", async (t) => {
    const world = await startWorld(t);
    const { models, goOn } = halting();
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const { client, commands } = await startBare(t, world, { models, ...timings });
    const events = eventsOf(client.trigger(say(sessionId, "hi"), world.as()));
    await readUntil(events, "persisted");
    await new Promise((resolve) => setTimeout(resolve, 100));
    goOn();
    await readUntil(events, "finish");
    assert.deepEqual(commands, ["findAndModify sessions", "update sessions", "update sessions"]);
  });
});

async function glance(world: World, instance: Instance, sessionId: string) {
  const messages = await messagesOf(world, instance, sessionId);
  return messages.map(({ role, status, parts }) => [role, status, parts[0]?.text]);
}
