import assert from "node:assert/strict";
import { ManualClock, silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { describe, type TestContext, test, vi } from "vitest";
import type { TurnEvents } from "../../store/turn-events.ts";
import { maxUnstored, slack, type TurnLog } from "./turn-log.ts";
import { createTurnLogs } from "./turn-logs.ts";

/** A store whose commands wait for `release`, fail while `isDown`, and seem to fail while `isLosingReplies`. */
function createStore() {
  const commands: TurnEvents[][] = [];
  const waiting: Array<() => void> = [];
  const kept: string[] = [];
  const stored = new Map<string, TurnEvents>();
  const state = { isDown: false, isLosingReplies: false, isHeld: false, fences: new Set<string>() };
  return {
    state,
    commands,
    kept,
    stored,
    release: () => {
      state.isHeld = false;
      for (const proceed of waiting.splice(0)) proceed();
    },
    eventStore: {
      insert: async (documents: TurnEvents[]) => {
        commands.push(documents);
        if (state.isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
        if (state.isDown) throw new Error("The store is down.");
        for (const document of documents) {
          if (!stored.has(document._id)) stored.set(document._id, document);
        }
        if (state.isLosingReplies) throw new Error("The connection broke.");
        return new Set(documents.flatMap(({ _id }) => (state.fences.has(_id) ? [_id] : [])));
      },
      keepUntil: async (_projectId: string, name: string) => {
        kept.push(name);
      },
    },
  };
}

function start(t: TestContext, { flushEveryMs = 5, gatherMs = 1, isAlone = false } = {}) {
  const store = createStore();
  const clock = new ManualClock();
  const { eventStore } = store;
  const times = { flushEveryMs, gatherMs, keepMs: 1_000 };
  const logs = createTurnLogs({ eventStore, clock, log: silentLogger, isAlone, ...times });
  t.onTestFinished(() => logs.close());
  return {
    store,
    clock,
    open: (executionId: string) => logs.open({ ...owner, executionId }),
    find: logs.find,
    close: logs.close,
    logs,
  };
}

const owner = { projectId: "prj", sessionId: "ses", run: 1 };

function append(log: TurnLog, count: number, json = "{}"): void {
  for (let index = 0; index < count; index += 1) {
    log.append({ $typeName: "muster.sessions.v1.StreamEvent", sequence: log.last + 1, type: "t", json });
  }
}

describe("the events of runs on their way to the store", () => {
  test("a run that ends before the first interval is stored by one command, with runs that end at the same time", async (t) => {
    const { store, open, find, clock } = start(t);
    const logs = ["exe_a", "exe_b", "exe_c"].map(open);
    for (const log of logs) append(log, 100);
    for (const log of logs) log.end();
    await until(() => find("exe_c") === undefined);
    const [documents = [], ...more] = store.commands;
    assert.deepEqual(more, []);
    assert.deepEqual(
      documents.map(({ first, count, isLast }) => [first, count, isLast]),
      logs.map(() => [1, 100, true]),
    );
    assert.equal(documents[0]?.keptUntil.getTime(), clock.now() + 1_000);
  });

  test("runs that end one after another share a command, except the first, and none waits when the service stops", async (t) => {
    const { store, open, find, close } = start(t, { gatherMs: 600_000 });
    for (const id of ["exe_a", "exe_b", "exe_c"]) {
      const log = open(id);
      append(log, 10);
      log.end();
      if (id === "exe_a") await until(() => find("exe_a") === undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await close();
    assert.deepEqual(
      store.commands.map((documents) => documents.map(({ count, isLast }) => [count, isLast])),
      [
        [[10, true]],
        [
          [10, true],
          [10, true],
        ],
      ],
    );
  });

  test("each run is stored in its interval, early with an older one only after half of it", async (t) => {
    vi.useFakeTimers();
    t.onTestFinished(() => void vi.useRealTimers());
    const { store, open } = start(t, { flushEveryMs: 1_000, gatherMs: 0 });
    const begin = async (executionId: string, laterMs: number) => {
      append(open(executionId), 1);
      await vi.advanceTimersByTimeAsync(laterMs);
    };
    const stored = () => [...store.stored.keys()].map((id) => id.slice(0, 5));
    await begin("exe_a", 400);
    await begin("exe_b", 200);
    await begin("exe_c", 399);
    assert.deepEqual(stored(), []);
    await vi.advanceTimersByTimeAsync(1);
    assert.deepEqual(stored(), ["exe_a", "exe_b"]);
    await vi.advanceTimersByTimeAsync(599);
    assert.deepEqual(stored(), ["exe_a", "exe_b"]);
    await vi.advanceTimersByTimeAsync(1);
    assert.deepEqual(stored(), ["exe_a", "exe_b", "exe_c"]);
  });

  test("a run that is too far ahead of the store does not wait for others to gather", async (t) => {
    const { store, open, find } = start(t, { gatherMs: 600_000 });
    const first = open("exe_a");
    first.end();
    await until(() => find("exe_a") === undefined);
    const log = open("exe_b");
    append(log, maxUnstored.events);
    await log.whenWritten();
    assert.ok(!log.isFull);
    assert.equal(store.commands.length, 2);
    log.end();
  });

  test("events that a failed command contained are stored by a later one, without a gap", async (t) => {
    const { store, open, find } = start(t);
    const log = open("exe_a");
    store.state.isDown = true;
    append(log, 3);
    await until(() => store.commands.length >= 2);
    append(log, 2);
    log.end();
    store.state.isDown = false;
    await until(() => find("exe_a") === undefined);
    const stored = [...store.stored.values()];
    assert.equal(stored.map(({ events }) => events).join(""), "t {}\n".repeat(5));
    assert.deepEqual(
      stored.map(({ first, count, isLast }) => [first, count, isLast]),
      [
        [1, 3, false],
        [4, 2, true],
      ],
    );
  });

  test("a command that has failed but arrived is repeated unchanged: no event counts as stored that is not", async (t) => {
    const { store, open, find } = start(t);
    const log = open("exe_a");
    append(log, 3);
    store.state.isLosingReplies = true;
    await until(() => store.commands.length >= 1);
    append(log, 2);
    log.end();
    store.state.isLosingReplies = false;
    await until(() => find("exe_a") === undefined);
    const stored = [...store.stored.values()].map(({ first, count, isLast }) => [first, count, isLast]);
    assert.deepEqual(stored, [
      [1, 3, false],
      [4, 2, true],
    ]);
  });

  test("events that were written with a turn and then stored are not stored again", async (t) => {
    const { store, open, find } = start(t);
    const log = open("exe_a");
    append(log, 2);
    assert.equal(log.pending()?.count, 2);
    await log.whenWritten();
    append(log, 1, "[]");
    assert.equal(log.pending([{ type: "t", json: "1" }])?.events, "t []\nt 1\n");
    append(log, 1, "1");
    log.end();
    await until(() => find("exe_a") === undefined);
    assert.deepEqual(
      store.commands.flat().map(({ first, events }) => [first, events]),
      [
        [1, "t {}\nt {}\n"],
        [3, "t []\nt 1\n"],
      ],
    );
  });

  test("the events of an ended run that only its session has are stored when another run displaces them, and no others", async (t) => {
    const { store, clock, logs } = start(t);
    const keptUntil = new Date(clock.now() + 1);
    const ended = {
      executionId: "exe_1",
      run: 1,
      first: 1,
      count: 1,
      events: "e\n",
      isLast: true,
      keptUntil,
    };
    const next = { ...owner, executionId: "exe_2", run: 2 };
    const kept = { ...ended, keptUntil: new Date(clock.now()) };
    assert.equal(logs.displace({}, next), undefined);
    for (const pendingEvents of [{ ...ended, isLast: false }, { ...ended, first: 2 }, kept])
      assert.deepEqual(logs.displace({ pendingEvents }, next), {});
    assert.equal(logs.displace({ pendingEvents: ended }, { ...owner, executionId: "exe_1" }), undefined);
    store.state.isDown = true;
    const displaced = logs.displace({ pendingEvents: ended }, next);
    await until("a command has failed", () => store.commands.length === 1);
    store.state.isDown = false;
    await displaced?.store?.();
    assert.deepEqual(
      [...store.stored.values()].map(({ events, isLast }) => [events, isLast]),
      [["e\n", true]],
    );
  });

  test("a run that is too far ahead of the store waits until its events are stored", async (t) => {
    const { store, open } = start(t);
    const log = open("exe_a");
    store.state.isHeld = true;
    append(log, maxUnstored.events - slack - 1);
    assert.ok(!log.isFull);
    append(log, 1);
    assert.ok(log.isFull);
    const written = log.whenWritten();
    await until(() => store.commands.length === 1);
    store.release();
    await written;
    assert.ok(!log.isFull);
    log.end();
  });

  test("a run that another instance has adopted stores nothing more and releases its readers", async (t) => {
    const { store, open, find } = start(t);
    const log = open("exe_a");
    append(log, 2);
    store.state.fences.add(log.nextDocument()._id);
    const more = log.whenMore(new AbortController().signal);
    await until(() => log.isLost);
    await more;
    append(log, 1);
    log.end();
    assert.deepEqual([log.last, find("exe_a"), log.pending()], [2, undefined, undefined]);
  });

  test("a write of the turn contains what the store lacks, and the last events if it ends the turn", async (t) => {
    const { open, clock } = start(t);
    const log = open("exe_a");
    append(log, 3);
    await log.whenWritten();
    append(log, 2, "1");
    const finish = { type: "finish", json: "{}" };
    for (const [last, events, count] of [
      [undefined, "t 1\nt 1\n", 2],
      [[finish], "t 1\nt 1\nfinish {}\n", 3],
    ] as const) {
      const isLast = last !== undefined;
      assert.deepEqual(log.pending(last), {
        ...{ executionId: "exe_a", run: 1, first: 4, count, events, isLast },
        keptUntil: new Date(clock.now() + 1_000),
      });
    }
  });

  test("an adopted run is numbered from where it was taken over", async (t) => {
    const { store, logs, find } = start(t);
    const log = logs.open({ ...owner, executionId: "exe_a" }, 2_000);
    append(log, 2);
    log.end();
    await until(() => find("exe_a") === undefined);
    const [document] = store.commands[0] ?? [];
    assert.deepEqual([document?._id.slice(-4), document?.first, document?.count], ["2000", 2_000, 2]);
    assert.equal(log.after(1_998), undefined);
    assert.deepEqual(
      log.after(1_999)?.map(({ sequence }) => sequence),
      [2_000, 2_001],
    );
  });

  test("a reader far behind is sent to the store, and one near the end is served from memory", async (t) => {
    const { store, open, find } = start(t);
    const log = open("exe_a");
    append(log, 10, "x".repeat(10_000));
    await log.whenWritten();
    append(log, 10);
    await log.whenWritten();
    assert.equal(log.after(0), undefined);
    assert.deepEqual(
      log.after(15)?.map(({ sequence }) => sequence),
      [16, 17, 18, 19, 20],
    );
    log.end();
    await until(() => find("exe_a") === undefined);
    // The earlier documents end with the last one.
    assert.deepEqual(store.kept, ["exe_a:0000000001"]);
    const sizes = store.commands.flat().map(({ first, count }) => [first, count]);
    assert.equal(
      sizes.reduce((sum, [, count = 0]) => sum + count, 0),
      20,
    );
  });
});
