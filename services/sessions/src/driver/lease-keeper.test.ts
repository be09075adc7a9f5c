import assert from "node:assert/strict";
import { ManualClock, silentLogger } from "@muster/service";
import { onTestFinished, test, vi } from "vitest";
import { defaultTimings } from "../config.ts";
import type { Lease } from "../store/session-document.ts";
import { createLeaseKeeper, type LeaseHolder } from "./lease-keeper.ts";

const { leaseMs, renewEveryMs } = defaultTimings;
const held = { projectId: "prj_1", sessionId: "ses_1", epoch: 1, runId: "run_1" };
const lease: Lease = { runId: "run_1", holder: "run_0", until: new Date(0), cancelRequested: false };

/** A running execution whose renewals are resolved by the test. Time passes only in `live` and `suspend`. */
function start() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = new ManualClock();
  const renewals: Array<PromiseWithResolvers<Lease | null>> = [];
  const stops: string[] = [];
  const store = {
    renew: () => {
      const renewal = Promise.withResolvers<Lease | null>();
      renewals.push(renewal);
      return renewal.promise;
    },
    find: async () => null,
  };
  const execution: LeaseHolder = {
    held,
    leaseUntilMs: clock.now() + leaseMs,
    log: silentLogger,
    persistence: { store, expiry: { held: () => null } },
    stop: (cause: string) => stops.push(cause),
  };
  const keeper = createLeaseKeeper({
    executions: { all: () => [execution] },
    clock,
    timings: defaultTimings,
  });
  keeper.wake();
  onTestFinished(() => keeper.stop());
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    renewals,
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
  renewals[0]?.resolve(lease);
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
  renewals[1]?.resolve(lease);
  await settled();
  assert.deepEqual(stops, []);
});

test("a holder whose lease was taken meanwhile stops", async () => {
  const { renewals, stops, live, suspend, settled } = start();
  suspend(60_000);
  await live(1);
  renewals[0]?.resolve(null);
  await settled();
  assert.deepEqual(stops, ["cleared"]);
});

test("a holder that runs but does not reach the store stops soon after its lease has expired", async () => {
  const { renewals, stops, live } = start();
  await live(Math.floor(leaseMs / renewEveryMs));
  assert.deepEqual(stops, []);
  assert.equal(renewals.length, 1);
  await live(2);
  assert.equal(stops[0], "store-down");
});
