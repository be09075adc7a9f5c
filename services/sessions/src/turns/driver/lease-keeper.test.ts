import assert from "node:assert/strict";
import { ManualClock, silentLogger } from "@muster/service";
import { MongoServerError } from "mongodb";
import { onTestFinished, test, vi } from "vitest";
import { defaultTimings } from "../../config.ts";
import type { SessionStore } from "../../store/session-store.ts";
import { batchSize, createLeaseKeeper, type LeaseHolder } from "./executions.ts";

const { leaseMs, renewEveryMs } = defaultTimings;
const held = { projectId: "prj_1", sessionId: "ses_1", epoch: 1, runId: "run_1" };
const renewed = new Map([[held.runId, { cancelRequested: false }]]);
const none = new Map<string, never>();

type Renewed = Awaited<ReturnType<SessionStore["renew"]>>;

/** Executions whose renewals are resolved by the test. Time passes only in `live` and `suspend`. */
function start({ count = 1, hasEnded = false, waitsForSpace = false } = {}) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = new ManualClock();
  const renewals: Array<PromiseWithResolvers<Renewed>> = [];
  const stops: string[] = [];
  const asked: number[] = [];
  const store = {
    renew: (leases: readonly unknown[]) => {
      asked.push(leases.length);
      const renewal = Promise.withResolvers<Renewed>();
      renewals.push(renewal);
      return renewal.promise;
    },
    find: async () => null,
  };
  const holders = Array.from({ length: count }, (_, index): LeaseHolder => {
    const number = index + 1;
    return {
      held: { ...held, sessionId: `ses_${number}`, runId: `run_${number}` },
      leaseUntilMs: clock.monotonicMs() + leaseMs,
      hasEnded,
      log: silentLogger,
      persistence: { store, expiry: { held: () => null }, ...(waitsForSpace && { waitsForSpace }) },
      stop: (cause: string) => stops.push(cause),
    };
  });
  const keeper = createLeaseKeeper({
    executions: { all: () => holders },
    clock,
    timings: defaultTimings,
  });
  keeper.wake();
  onTestFinished(() => keeper.stop());
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    renewals,
    asked,
    stops,
    /** The process runs for this many rounds. */
    live: async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        clock.advance(renewEveryMs);
        vi.advanceTimersByTime(renewEveryMs);
        await settled();
      }
    },
    /** Time passes, but no timer fires. */
    suspend: (ms: number) => clock.advance(ms),
    settled,
  };
}

test("a lease outlasts ten seconds without its holder, whenever these begin", () => {
  assert.ok(leaseMs - renewEveryMs * 1.5 >= 10_000);
});

test("a holder that wakes up after its lease has expired renews it and keeps its turn", async () => {
  const { renewals, stops, live, suspend, settled } = start();
  await live(1);
  suspend(60_000);
  await live(1);
  assert.equal(renewals.length, 1);
  renewals[0]?.resolve(renewed);
  await settled();
  await live(4);
  assert.deepEqual(stops, []);
});

test("a holder whose renewal failed during a suspension tries again before it gives up", async () => {
  const { renewals, stops, live, suspend, settled } = start();
  await live(1);
  suspend(60_000);
  renewals[0]?.reject(new Error("the connection is gone"));
  await settled();
  assert.deepEqual(stops, []);
  await live(1);
  renewals[1]?.resolve(renewed);
  await settled();
  assert.deepEqual(stops, []);
});

test("a holder whose lease was taken meanwhile stops", async () => {
  const { renewals, stops, live, suspend, settled } = start();
  suspend(60_000);
  await live(1);
  renewals[0]?.resolve(none);
  await settled();
  assert.deepEqual(stops, ["cleared"]);
});

test.for([
  { waitsForSpace: true, stopped: [] },
  { waitsForSpace: false, stopped: ["storage-full"] },
])(
  "a full disk stops no holder that waits for space, and others once their leases have expired: $waitsForSpace",
  async ({ waitsForSpace, stopped }) => {
    const { renewals, stops, live, settled } = start({ waitsForSpace });
    for (let round = 0; round < 10; round++) {
      await live(1);
      renewals.at(-1)?.reject(new MongoServerError({ code: 14_031, message: "the disk is full" }));
      await settled();
    }
    assert.deepEqual([...new Set(stops)], stopped);
  },
);

test("a holder that runs but does not reach the store stops soon after its lease has expired", async () => {
  const { renewals, stops, live } = start();
  await live(Math.floor(leaseMs / renewEveryMs));
  assert.deepEqual(stops, []);
  assert.equal(renewals.length, 1);
  await live(2);
  assert.equal(stops[0], "store-down");
});

test("many leases are renewed in batches, one after the other, so that streams are served between them", async () => {
  const { renewals, asked, stops, live, settled } = start({ count: batchSize * 2 + 1 });
  await live(1);
  const all = new Map(
    Array.from({ length: batchSize * 2 + 1 }, (_, index) => [`run_${index + 1}`, { cancelRequested: false }]),
  );
  for (const expected of [[batchSize], [batchSize, batchSize], [batchSize, batchSize, 1]]) {
    assert.deepEqual(asked, expected);
    renewals.at(-1)?.resolve(all);
    await settled();
  }
  assert.deepEqual(stops, []);
});

test("a batch whose renewal fails does not keep the others from being renewed", async () => {
  const { renewals, asked, live, settled } = start({ count: batchSize + 1 });
  await live(1);
  renewals[0]?.reject(new Error("the connection is gone"));
  await settled();
  assert.deepEqual(asked, [batchSize, 1]);
});

test("an execution that has just freed its session is not taken for one that has lost it", async () => {
  const { renewals, stops, live, settled } = start({ hasEnded: true });
  await live(1);
  renewals[0]?.resolve(none);
  await settled();
  assert.deepEqual(stops, []);
});
