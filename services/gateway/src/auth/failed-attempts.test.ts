import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { test } from "vitest";
import { FailedAttempts } from "./failed-attempts.ts";

test("the count of an address ends a minute after its first wrong credential", () => {
  const clock = new ManualClock();
  const attempts = new FailedAttempts(2, clock);
  attempts.add("a");
  clock.advance(59_000);
  attempts.add("a");
  assert.throws(() => attempts.assertBelowLimit("a"), {
    code: "RATE_LIMITED",
    headers: { "retry-after": "1" },
  });
  clock.advance(1_001);
  attempts.assertBelowLimit("a");
});

test("only the most recent addresses are remembered", () => {
  const attempts = new FailedAttempts(1, new ManualClock(), 2);
  for (const client of ["a", "b", "c"]) attempts.add(client);
  attempts.assertBelowLimit("a");
  assert.throws(() => attempts.assertBelowLimit("c"));
});
