import assert from "node:assert/strict";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { DisconnectPolicy } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import {
  type Event,
  eventsOf,
  type Instance,
  openSession,
  readAll,
  refusal,
  result,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";
import { finished, modelsThat } from "./support/scripted-model.ts";

const timings = { flushEventsEveryMs: 10, pollEventsEveryMs: 10 };
const continuing = { onDisconnect: DisconnectPolicy.CONTINUE };

/** A model that sends one delta, another one for each call of `next`, and ends after `finish`. */
function stepwise(words = 1) {
  let allowed = 1;
  let isLast = false;
  let wake = () => {};
  async function* talk(): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: "text-start", id: "0" };
    for (let sent = 0; ; sent += 1) {
      while (sent === allowed && !isLast) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (sent === allowed) break;
      const delta = Array.from({ length: words }, (_, index) => `${sent}.${index} `).join("");
      yield { type: "text-delta", id: "0", delta };
    }
    yield { type: "text-end", id: "0" };
    yield finished;
  }
  return {
    models: modelsThat(talk),
    next: () => {
      allowed += 1;
      wake();
    },
    finish: () => {
      isLast = true;
      wake();
    },
  };
}

/** The numbers and the JSON of all events after the given one. */
async function resume(world: World, { client }: Instance, ids: Ids, afterSequence = 0): Promise<string[]> {
  const lines: string[] = [];
  for await (const { events } of client.resumeExecution({ ...ids, afterSequence }, world.as())) {
    for (const { sequence, type, json } of events) {
      assert.equal(JSON.parse(json).type, type);
      lines.push(`${sequence} ${json}`);
    }
  }
  return lines;
}

interface Ids {
  sessionId: string;
  executionId: string;
}

function numbered(events: readonly Event[]): string[] {
  return events.map((event, index) => `${index + 1} ${JSON.stringify(event)}`);
}

function executionOf([start]: readonly Event[]): string {
  assert.equal(start?.type, "start");
  return String(start.executionId);
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

async function runTurn(world: World, instance: Instance) {
  const sessionId = await openSession(world, instance, {});
  const events = await readAll(instance.client.trigger(say(sessionId, "good morning"), world.as()));
  return { ids: { sessionId, executionId: executionOf(events) }, events };
}

/** A running turn of which the first delta has been read. */
async function beginTurn(world: World, instance: Instance, options = {}) {
  const sessionId = await openSession(world, instance);
  const leaving = new AbortController();
  const call = world.as({}, { signal: leaving.signal });
  const events = eventsOf(instance.client.trigger({ ...say(sessionId, "hi"), ...options }, call));
  const seen = await readUntil(events, "text-delta");
  return { ids: { sessionId, executionId: executionOf(seen) }, events, seen, leave: () => leaving.abort() };
}

describe("the events of a turn that has ended", () => {
  test("every cursor yields exactly the rest, on the instance that ran the turn and on another", async (t) => {
    const world = await startWorld(t);
    const holder = await world.addInstance({ timings });
    const other = await world.addInstance({ timings });
    const { ids, events } = await runTurn(world, holder);
    const all = numbered(events);
    for (let after = 0; after <= all.length; after += 1) {
      for (const instance of [holder, other]) {
        assert.deepEqual(await resume(world, instance, ids, after), all.slice(after));
      }
    }
  });

  test("a turn of which many events have left the memory is replayed as a whole", async (t) => {
    const world = await startWorld(t);
    const { models, next, finish } = stepwise(8_000);
    const instance = await world.addInstance({ timings }, { models });
    const { ids, events, seen } = await beginTurn(world, instance);
    for (let count = 0; count < 30; count += 1) {
      next();
      seen.push(...(await readUntil(events, "text-delta")));
    }
    // Begins before the end and far behind it.
    const joined = resume(world, instance, ids);
    finish();
    seen.push(...(await readUntil(events, "finish")));
    assert.deepEqual(await joined, numbered(seen));
    assert.deepEqual(await resume(world, instance, ids, 7), numbered(seen).slice(7));
  });

  test("several turns of one session are replayed after one another, also once their events have left its document", async (t) => {
    const world = await startWorld(t);
    const rarely = { ...timings, flushEventsEveryMs: 3_600_000 };
    const first = await world.addInstance({ timings: rarely, onlyInstance: true });
    const sessionId = await openSession(world, first, {});
    const turns: Array<{ ids: Ids; events: Event[] }> = [];
    for (const text of ["one", "two", "three ".repeat(100), "four", "five ".repeat(100), "six"]) {
      const events = await readAll(first.client.trigger(say(sessionId, text), world.as()));
      turns.push({ ids: { sessionId, executionId: executionOf(events) }, events });
    }
    const { earlierEvents = [] } = await world.document(sessionId);
    const inCollection = await world.sessions.db.collection("execution_events").countDocuments();
    assert.ok(earlierEvents.length > 0 && inCollection > 0);
    assert.equal(earlierEvents.length + inCollection, turns.length - 1);
    await first.stop();
    const second = await world.addInstance({ timings: rarely, onlyInstance: true });
    for (const { ids, events } of turns)
      for (const after of [0, 3, events.length])
        assert.deepEqual(await resume(world, second, ids, after), numbered(events).slice(after));
    world.clock.advance(15 * 60_000);
    for (const { ids } of turns)
      assert.equal((await refusal(resume(world, second, ids))).reason, Reason.EVENTS_GONE);
  });

  test("the latest response of an execution is replayed, whichever instance continued it", async (t) => {
    const world = await startWorld(t, [
      { parts: [{ toolCall: { id: "c1", name: "get-order", arguments: { number: "7" } } }] },
      { parts: [{ text: "Shipped." }] },
    ]);
    const first = await world.addInstance({ timings });
    const second = await world.addInstance({ timings });
    const sessionId = await openSession(world, first);
    const asked = await readAll(first.client.trigger(say(sessionId, "order 7"), world.as()));
    const ids = { sessionId, executionId: executionOf(asked) };
    assert.deepEqual(await resume(world, second, ids), numbered(asked));
    const request = { ...say(sessionId, ""), toolResults: [result("c1", "shipped")] };
    const answered = await readAll(second.client.trigger(request, world.as()));
    assert.deepEqual(await resume(world, first, ids), numbered(answered));
    assert.deepEqual(await resume(world, second, ids, 3), numbered(answered).slice(3));
  });
});

describe("the events of a running turn", () => {
  test("readers that join on any instance, at any event, receive what the first reader receives", async (t) => {
    const world = await startWorld(t);
    const { models, next, finish } = stepwise();
    const holder = await world.addInstance({ timings }, { models });
    const other = await world.addInstance({ timings });
    const { ids, events, seen } = await beginTurn(world, holder);
    const joined = [0, 1, 5].flatMap((after) =>
      [holder, other].map(async (instance) => ({ after, lines: await resume(world, instance, ids, after) })),
    );
    next();
    seen.push(...(await readUntil(events, "text-delta")));
    finish();
    seen.push(...(await readUntil(events, "finish")));
    for (const { after, lines } of await Promise.all(joined)) {
      assert.deepEqual(lines, numbered(seen).slice(after));
    }
  });

  test("a reader ahead of the store receives the rest, though one stored piece begins before its cursor", async (t) => {
    const world = await startWorld(t);
    const { models, finish } = stepwise();
    const rarely = { ...timings, flushEventsEveryMs: 60_000 };
    const holder = await world.addInstance({ timings: rarely }, { models });
    const other = await world.addInstance({ timings });
    const { ids, events, seen } = await beginTurn(world, holder);
    const rest = other.client.resumeExecution({ ...ids, afterSequence: seen.length }, world.as());
    const messages = rest[Symbol.asyncIterator]();
    assert.deepEqual((await messages.next()).value?.events, []);
    finish();
    const last = await readUntil(events, "finish");
    const message = (await messages.next()).value;
    assert.deepEqual(
      message?.events.map(({ json }: { json: string }) => json),
      last.map((event) => JSON.stringify(event)),
    );
    assert.ok((await messages.next()).done);
  });

  test("a turn whose only reader has left continues, and another instance delivers the rest", async (t) => {
    const world = await startWorld(t);
    const { models, next, finish } = stepwise();
    const holder = await world.addInstance({ timings }, { models });
    const other = await world.addInstance({ timings });
    const { ids, seen, leave } = await beginTurn(world, holder, continuing);
    leave();
    next();
    const rest = resume(world, other, ids, seen.length);
    next();
    finish();
    const lines = await rest;
    assert.match(lines[0] ?? "", new RegExp(`^${seen.length + 1} .*"delta":"1.0 "`));
    assert.match(lines.at(-1) ?? "", /"finishReason":"stop"/);
    assert.deepEqual([...numbered(seen), ...lines], await resume(world, holder, ids));
  });

  test("a turn that its reader's departure has cancelled can be read to its end", async (t) => {
    const world = await startWorld(t);
    const { models, next } = stepwise();
    const holder = await world.addInstance({ timings }, { models });
    const other = await world.addInstance({ timings });
    const { ids, seen, leave } = await beginTurn(world, holder);
    leave();
    // The model notices the abort with its next part.
    next();
    for (const instance of [holder, other]) {
      const lines = await resume(world, instance, ids, seen.length);
      assert.match(lines.at(-1) ?? "", /"finishReason":"other"/);
    }
  });

  test("the first message arrives before any event, so that a waiting reader knows it is connected", async (t) => {
    const world = await startWorld(t);
    const { models, finish } = stepwise();
    const holder = await world.addInstance({ timings }, { models });
    const { ids, seen } = await beginTurn(world, holder);
    const call = holder.client.resumeExecution({ ...ids, afterSequence: seen.length }, world.as());
    const messages = call[Symbol.asyncIterator]();
    assert.deepEqual((await messages.next()).value?.events, []);
    finish();
    assert.ok((await messages.next()).value?.events.length > 0);
  });
});

describe("a cursor", () => {
  test("executions that are unknown, of another session, project or agent look the same", async (t) => {
    const world = await startWorld(t);
    const holder = await world.addInstance({ timings });
    const other = await world.addInstance({ timings });
    const { ids } = await runTurn(world, holder);
    const { ids: foreign } = await runTurn(world, holder);
    for (const { client } of [holder, other]) {
      for (const executionId of [foreign.executionId, "exe_unknown", "exe"]) {
        const call = client.resumeExecution({ ...ids, executionId }, world.as());
        assert.equal((await refusal(drain(call))).reason, Reason.NOT_FOUND);
      }
      const call = client.resumeExecution(ids, world.as({ projectId: "prj_other" }));
      assert.equal((await refusal(drain(call))).reason, Reason.NOT_FOUND);
      const limited = client.resumeExecution(ids, world.as({ agentId: "agt_other" }));
      assert.equal((await refusal(drain(limited))).reason, Reason.NOT_FOUND);
    }
  });

  test("a cursor behind the last event is refused", async (t) => {
    const world = await startWorld(t);
    const { models } = stepwise();
    const holder = await world.addInstance({ timings }, { models });
    const other = await world.addInstance({ timings });
    const { ids, events } = await runTurn(world, other);
    const running = await beginTurn(world, holder);
    for (const [instance, execution, afterSequence] of [
      [holder, ids, events.length + 1],
      [other, ids, events.length + 1],
      [holder, running.ids, running.seen.length + 1],
      [other, running.ids, 1_000_000],
    ] as const) {
      const call = instance.client.resumeExecution({ ...execution, afterSequence }, world.as());
      const { reason, issues } = await refusal(drain(call));
      assert.deepEqual([reason, issues[0]?.path], [Reason.INVALID_REQUEST, "after"]);
    }
  });

  test("events are gone 15 minutes after the end of their turn, and with their session", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ timings: { ...timings, flushEventsEveryMs: 3_600_000 } });
    const { ids, events } = await runTurn(world, instance);
    const { ids: cleared } = await runTurn(world, instance);
    await instance.client.clearSession({ sessionId: cleared.sessionId }, world.as());
    const isGone = async (execution: Ids) =>
      (await refusal(drain(instance.client.resumeExecution(execution, world.as())))).reason ===
      Reason.EVENTS_GONE;
    assert.ok(await isGone(cleared));
    world.clock.advance(15 * 60_000 - 1_000);
    assert.equal((await resume(world, instance, ids)).length, events.length);
    world.clock.advance(1_000);
    assert.ok(await isGone(ids));
  });
});

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _message of stream);
}
