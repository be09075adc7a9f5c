import assert from "node:assert/strict";
import { type Clock, ManualClock, silentLogger } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { type TestScope, until } from "@muster/testing";
import fc from "fast-check";
import { test } from "vitest";
import { type FollowedThread, followEvents } from "./follow-events.ts";
import { createThreadEventStore, type ThreadEventStore } from "./thread-event-store.ts";
import type { ThreadLog } from "./thread-log.ts";
import { createThreadLogs, defaultThreadLogTimings } from "./thread-logs.ts";

const projectId = "prj_test";
const threadId = "thr_test";
const timings = { ...defaultThreadLogTimings, gatherMs: 5, gatherWatchedMs: 1 };
const never = new AbortController().signal;

let writers = 0;
const newWriter = () => `writer_${++writers}`;

async function openWorld(t: TestScope) {
  const { db } = await openTestStore(t);
  const store = createThreadEventStore(db);
  const clock = new ManualClock(Date.now());
  const thread: FollowedThread = {
    status: "running",
    isFinal: false,
    isOver: false,
    endedAtMs: null,
    isDriven: true,
  };
  const instance = (over: Partial<ThreadEventStore> = {}) =>
    createThreadLogs({ store: { ...store, ...over }, clock, log: silentLogger, newWriter, timings });
  return { db, store, clock, thread, instance };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** Everything that a reader sees until it ends. */
async function readAll(
  { store, clock, thread }: { store: ThreadEventStore; clock: Clock; thread: FollowedThread },
  after = 0,
  logs: Pick<ReturnType<World["instance"]>, "find"> = { find: () => undefined },
  signal = never,
) {
  const seen: Array<{ sequence: number; type: string; json: string }> = [];
  const sources = { store, clock, newWriter, timings, logs, findThread: async () => thread };
  const whenChanged = () => new Promise<void>((resolve) => void setTimeout(resolve, 1));
  for await (const { events } of followEvents(
    { ...sources, whenChanged },
    { projectId, threadId, after },
    signal,
  )) {
    for (const { sequence, type, json } of events) seen.push({ sequence, type, json });
  }
  return seen;
}

const delta = (text: string) => ({
  type: "text-delta",
  json: JSON.stringify({ type: "text-delta", delta: text }),
});

async function openLog(logs: ReturnType<World["instance"]>, epoch: number): Promise<ThreadLog> {
  const log = await logs.open({ projectId, threadId, epoch, status: "running" }, never);
  assert.ok(log);
  await log.flushed(never);
  return log;
}

function end(thread: FollowedThread, status = "completed", nowMs = Date.now()): void {
  Object.assign(thread, { status, isFinal: true, isOver: true, isDriven: false, endedAtMs: nowMs });
}

test("many deltas are stored with few writes, and numbered from 1 without a gap", async (t) => {
  const world = await openWorld(t);
  let writes = 0;
  const logs = world.instance({
    insert: (documents) => {
      writes += 1;
      return world.store.insert(documents);
    },
  });
  const log = await openLog(logs, 1);
  for (let index = 1; index <= 500; index += 1)
    log.relay(delta(`${index}`), { requestId: "r", sequence: index });
  await log.flushed(never);
  await logs.end(log, "completed", never);
  end(world.thread);
  const events = await readAll(world);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    Array.from({ length: 502 }, (_, index) => index + 1),
  );
  assert.deepEqual(
    [events[0]?.type, events.at(-1)?.json],
    ["thread-status", '{"type":"thread-status","status":"completed"}'],
  );
  assert.ok(writes <= 5, `${writes} writes`);
  assert.deepEqual(
    (await readAll(world, 499)).map(({ sequence }) => sequence),
    [500, 501, 502],
  );
});

test("a reader on the instance of the run follows live, and sees only stored events", async (t) => {
  const world = await openWorld(t);
  const logs = world.instance();
  const log = await openLog(logs, 1);
  const reading = readAll(world, 0, logs);
  await until("the reader waits", () => log.isWatched);
  log.relay(delta("a"), { requestId: "r", sequence: 1 });
  await log.flushed(never);
  log.output("call_1", "stdout", "hello ");
  log.output("call_1", "stdout", "world");
  log.output("call_1", "stderr", "!");
  await logs.end(log, "completed", never);
  end(world.thread);
  logs.close(log);
  const events = await reading;
  assert.deepEqual(
    events.map(({ type }) => type),
    [...["thread-status", "text-delta", "computer-output", "computer-output", "thread-status"]],
  );
  assert.equal(
    events[2]?.json,
    '{"type":"computer-output","toolCallId":"call_1","stream":"stdout","text":"hello world"}',
  );
  assert.deepEqual(await readAll(world), events);
});

test("a holder that was taken over can store nothing more, and the next continues its numbers and its place", async (t) => {
  const world = await openWorld(t);
  const [first, second] = [world.instance(), world.instance()];
  const old = await openLog(first, 1);
  old.relay(delta("stored"), { requestId: "r", sequence: 7 });
  await old.flushed(never);
  const log = await openLog(second, 2);
  assert.deepEqual(log.cursor, { requestId: "r", sequence: 7 });
  old.relay(delta("late"), { requestId: "r", sequence: 8 });
  await old.flushed(never);
  assert.equal(old.isLost, true);
  assert.equal(await first.open({ projectId, threadId, epoch: 1, status: "running" }, never), undefined);
  log.relay(delta("again"), { requestId: "r", sequence: 8 });
  await second.end(log, "completed", never);
  end(world.thread);
  const events = await readAll(world);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  );
  assert.ok(!JSON.stringify(events).includes("late"));
});

test("a write that arrived although it failed is not repeated", async (t) => {
  const world = await openWorld(t);
  let failures = 0;
  const logs = world.instance({
    insert: async (documents) => {
      const taken = await world.store.insert(documents);
      if (failures++ < 2) throw new Error("the connection broke");
      return taken;
    },
  });
  const log = await openLog(logs, 1);
  log.relay(delta("once"), { requestId: "r", sequence: 1 });
  await logs.end(log, "completed", never);
  end(world.thread);
  assert.deepEqual(
    (await readAll(world)).map(({ sequence }) => sequence),
    [1, 2, 3],
  );
});

test("`persisted` has the number of the thread's event", async (t) => {
  const world = await openWorld(t);
  const logs = world.instance();
  const log = await openLog(logs, 1);
  const json = JSON.stringify({ type: "persisted", messageId: "msg_1", sequence: 77 });
  log.relay({ type: "persisted", json }, { requestId: "r", sequence: 77 });
  await logs.end(log, "completed", never);
  end(world.thread);
  const persisted = (await readAll(world)).find(({ type }) => type === "persisted");
  assert.deepEqual(JSON.parse(persisted?.json ?? ""), {
    type: "persisted",
    messageId: "msg_1",
    sequence: 2,
  });
});

test("a thread that no run has taken announces its status to its first reader, and ends with it", async (t) => {
  const world = await openWorld(t);
  Object.assign(world.thread, { status: "queued", isDriven: false });
  const reading = readAll(world);
  await until(
    "the status is announced",
    async () => (await world.store.last(projectId, threadId))?.status === "queued",
  );
  end(world.thread, "cancelled");
  const events = await reading;
  assert.deepEqual(
    events.map(({ sequence, json }) => [sequence, JSON.parse(json).status]),
    [
      [1, "queued"],
      [2, "cancelled"],
    ],
  );
  assert.deepEqual(await readAll(world), events);
});

test("15 minutes after its end the events are gone, and a later run continues the numbers", async (t) => {
  const world = await openWorld(t);
  const logs = world.instance();
  const log = await openLog(logs, 1);
  log.relay(delta("a"), { requestId: "r", sequence: 1 });
  await logs.end(log, "completed", never);
  logs.close(log);
  end(world.thread, "completed", world.clock.now());
  const documents = await world.db.collection("thread_events").find().sort({ _id: 1 }).toArray();
  assert.deepEqual(
    documents.map(({ expiresAt }) => (expiresAt === null ? null : expiresAt.getTime() - world.clock.now())),
    [...documents.slice(1).map(() => 15 * 60_000), null],
  );
  world.clock.advance(15 * 60_000);
  await assert.rejects(readAll(world), /no longer kept/);
  // The store removes them by itself, at some time.
  await world.db.collection("thread_events").deleteMany({ expiresAt: { $ne: null } });
  const again = await openLog(logs, 2);
  assert.equal(again.last, 4);
  Object.assign(world.thread, {
    ...{ status: "running", isFinal: false, isOver: false },
    ...{ isDriven: true, endedAtMs: null },
  });
  await assert.rejects(readAll(world, 1), /no longer kept/);
  const [reading, fromTheBeginning] = [readAll(world, 3, logs), readAll(world)];
  await logs.end(again, "completed", never);
  end(world.thread, "completed", world.clock.now());
  logs.close(again);
  assert.deepEqual(
    (await reading).map(({ sequence }) => sequence),
    [4, 5],
  );
  // Without a cursor, the remaining events are all.
  assert.deepEqual(
    (await fromTheBeginning).map(({ sequence }) => sequence),
    [3, 4, 5],
  );
});

test("a reader is accepted at once, even if nothing happens for long", async (t) => {
  const world = await openWorld(t);
  const logs = world.instance();
  const log = await openLog(logs, 1);
  const leaving = new AbortController();
  const sources = { ...world, newWriter, timings, logs, findThread: async () => world.thread };
  const whenChanged = () => new Promise<void>((resolve) => void setTimeout(resolve, 1));
  const place = { projectId, threadId, after: log.last };
  const events = followEvents({ ...sources, whenChanged }, place, leaving.signal);
  assert.deepEqual(await events.next(), { done: false, value: { events: [], lastSequence: log.last } });
  leaving.abort();
  assert.equal((await events.next()).done, true);
});

test("the end of a run that is taken over is announced once, however often that happens", async (t) => {
  const world = await openWorld(t);
  const logs = world.instance();
  await openLog(logs, 1);
  for (const epoch of [2, 3, 4]) {
    await logs.conclude({ projectId, threadId, epoch, status: "completed" }, never);
  }
  end(world.thread);
  const events = await readAll(world);
  assert.deepEqual(
    events.map(({ json }) => JSON.parse(json).status),
    ["running", "completed"],
  );
});

test("a cursor beyond the last event is refused", async (t) => {
  const world = await openWorld(t);
  const logs = world.instance();
  await openLog(logs, 1);
  await assert.rejects(readAll(world, 2), /must be at most 1/);
});

test("an event that the old holder stores while the new one opens the log moves the place of the new one", async (t) => {
  const world = await openWorld(t);
  const old = await openLog(world.instance(), 1);
  let isFirst = true;
  const second = world.instance({
    insert: async (documents) => {
      if (isFirst) {
        isFirst = false;
        old.relay(delta("just in time"), { requestId: "r", sequence: 8 });
        await old.flushed(never);
      }
      return world.store.insert(documents);
    },
  });
  const log = await openLog(second, 2);
  assert.deepEqual([log.cursor, log.last], [{ requestId: "r", sequence: 8 }, 3]);
});

test("however often holders change and readers reconnect, each event is seen once and in order", async (t) => {
  const world = await openWorld(t);
  const cut = fc.record({ events: fc.nat(30), late: fc.nat(3) });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 6 }), async (holders) => {
      run += 1;
      const id = `thr_${run}`;
      const expected: string[] = [];
      let previous: ThreadLog | undefined;
      let sequence = 0;
      for (const [index, { events, late }] of holders.entries()) {
        const log = await world
          .instance()
          .open({ projectId, threadId: id, epoch: index + 1, status: "running" }, never);
        assert.ok(log);
        const stale = previous;
        if (stale !== undefined) {
          for (let count = 0; count < late; count += 1) {
            stale.relay(delta("stale"), { requestId: "r", sequence: sequence + 1 + count });
          }
        }
        await Promise.all([log.flushed(never), stale?.flushed(never)]);
        // The events that the stale holder could still store count: the new one continues after them.
        sequence = log.cursor?.sequence ?? 0;
        for (let count = 0; count < events; count += 1) {
          sequence += 1;
          log.relay(delta(`${sequence}`), { requestId: "r", sequence });
        }
        await log.flushed(never);
        expected.push("thread-status");
        previous = log;
      }
      const all: number[] = [];
      let relayed = 0;
      for (let seen = 0; ; ) {
        const document = await world.store.next(projectId, id, seen);
        if (document === null) break;
        assert.equal(document.first, seen + 1);
        seen += document.count;
        for (const line of document.events.split("\n").slice(0, -1)) {
          all.push(all.length + 1);
          if (line.startsWith("text-delta")) relayed += 1;
        }
      }
      assert.equal(relayed, sequence);
      assert.equal(all.length, relayed + expected.length);
    }),
    { numRuns: 25 },
  );
});
