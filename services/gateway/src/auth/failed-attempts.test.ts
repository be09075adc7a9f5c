import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { test } from "vitest";
import { unauthenticated } from "./authenticator.ts";
import { FailedAttempts } from "./failed-attempts.ts";

const wrong = async () => {
  throw unauthenticated();
};
const refusal = { code: "UNAUTHENTICATED" };
const limit = { code: "RATE_LIMITED" };

test("the count of an address ends a minute after its first wrong credential", async () => {
  const clock = new ManualClock();
  const attempts = new FailedAttempts(2, clock);
  await assert.rejects(attempts.attempt("a", wrong), refusal);
  clock.advance(59_000);
  await assert.rejects(attempts.attempt("a", wrong), refusal);
  await assert.rejects(attempts.attempt("a", wrong), { ...limit, headers: { "retry-after": "1" } });
  clock.advance(1_001);
  await assert.rejects(attempts.attempt("a", wrong), refusal);
});

test("only the most recent addresses are remembered", async () => {
  const attempts = new FailedAttempts(1, new ManualClock(), { maxClients: 2 });
  for (const client of ["a", "b", "c"]) await assert.rejects(attempts.attempt(client, wrong), refusal);
  await assert.rejects(attempts.attempt("c", wrong), limit);
  await assert.rejects(attempts.attempt("a", wrong), refusal);
});

test("concurrent attempts count before their results are known; beyond the limit they are checked one at a time", async () => {
  const attempts = new FailedAttempts(2, new ManualClock());
  let [running, mostAtOnce] = [0, 0];
  const slowlyWrong = async () => {
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    throw unauthenticated();
  };
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, () => attempts.attempt("a", slowlyWrong)),
  );
  const codes = results.map((result) => (result.status === "rejected" ? result.reason.code : "passed"));
  assert.equal(codes.filter((code) => code === "UNAUTHENTICATED").length, 2);
  assert.equal(codes.filter((code) => code === "RATE_LIMITED").length, 198);
  // Two below the limit, and the one whose turn it is.
  assert.equal(mostAtOnce, 3);
});

test("beyond the limit, credentials that are known to be wrong wait for nothing", async () => {
  const attempts = new FailedAttempts(1, new ManualClock());
  await assert.rejects(attempts.attempt("a", wrong), refusal);
  const release = Promise.withResolvers<void>();
  const waiting = attempts.attempt("a", async () => release.promise);
  await assert.rejects(attempts.attempt("a", wrong, "now"), limit);
  release.resolve();
  await waiting;
});

test("a check that fails for another reason does not count", async () => {
  const attempts = new FailedAttempts(1, new ManualClock());
  for (let i = 0; i < 3; i++) {
    await assert.rejects(
      attempts.attempt("a", async () => assert.fail("out of order")),
      /out of order/,
    );
  }
  await assert.rejects(attempts.attempt("a", wrong), refusal);
});

test("in a burst, only those that are known to be wrong count: right ones from one address are checked all at once", async () => {
  const attempts = new FailedAttempts(2, new ManualClock());
  const gate = Promise.withResolvers<void>();
  let running = 0;
  const right = async () => {
    running += 1;
    await gate.promise;
  };
  const burst = Array.from({ length: 100 }, () => attempts.attempt("a", right, "burst"));
  assert.equal(running, 100);
  gate.resolve();
  await Promise.all(burst);
  for (const expected of [refusal, refusal, limit, limit])
    await assert.rejects(attempts.attempt("a", wrong, "burst"), expected);
  await attempts.attempt("a", right, "burst");
});
