import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { Claim, ClaimStopped, drainClaims, keepRenewing, repeat } from "./claim.ts";

test("claimed work that is lost stops at once; other work stops for its first cause and may finish its calls", () => {
  const claim = new Claim();
  claim.check();
  claim.stop("draining");
  claim.stop("cancelled");
  assert.deepEqual(
    [claim.cause, claim.stopping.aborted, claim.abandoning.aborted],
    ["draining", true, false],
  );
  assert.throws(() => claim.stopNow("lost"), ClaimStopped);
  assert.deepEqual([claim.cause, claim.abandoning.aborted], ["lost", true]);
  assert.throws(() => claim.check(), { stop: "lost" });
});

test("a process that drains abandons the claims that have not ended in time, and no others", async () => {
  const [quick, slow] = [new Claim(), new Claim()];
  const claims = new Set([quick, slow]);
  const ended = Promise.withResolvers<void>();
  quick.stopping.addEventListener("abort", () => claims.delete(quick));
  slow.abandoning.addEventListener("abort", () => ended.resolve());
  await drainClaims(
    () => [...claims],
    1,
    () => ended.promise,
  );
  assert.deepEqual([quick.abandoning.aborted, slow.abandoning.aborted], [false, true]);
  const last = new Claim();
  await drainClaims(
    () => [last],
    3_600_000,
    async () => undefined,
  );
  assert.deepEqual([last.cause, last.abandoning.aborted], ["draining", false]);
});

test("a lease is renewed by one renewal at a time", async (t) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  t.onTestFinished(() => void vi.useRealTimers());
  const renewals: Array<() => void> = [];
  const stop = keepRenewing(1_000, () => new Promise<void>((resolve) => renewals.push(resolve)));
  vi.advanceTimersByTime(3_000);
  assert.equal(renewals.length, 1);
  renewals[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(1_000);
  assert.equal(renewals.length, 2);
  stop();
  vi.advanceTimersByTime(9_000);
  assert.equal(renewals.length, 2);
});

test("a call is repeated until it succeeds, cannot succeed, or is no longer wanted", async () => {
  const claim = new Claim();
  const every = { everyMs: 1, signal: claim.stopping };
  let calls = 0;
  const third = async () => {
    calls += 1;
    if (calls % 3 !== 0) throw new Error(`call ${calls}`);
    return calls;
  };
  const refuseFrom = (last: number) => (error: unknown) => {
    if (calls >= last) throw error;
  };
  assert.equal(await repeat(every, third, refuseFrom(9)), 3);
  await assert.rejects(repeat(every, third, refuseFrom(5)), { message: "call 5" });
  claim.stop("cancelled");
  await assert.rejects(repeat(every, third, refuseFrom(99)), { stop: "cancelled" });
  assert.equal(calls, 5);
});
