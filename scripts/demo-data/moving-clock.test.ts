import assert from "node:assert/strict";
import { test } from "vitest";
import { MovingClock } from "./moving-clock.ts";

const hourMs = 3_600_000;
const near = (actual: number, expected: number) => assert.ok(Math.abs(actual - expected) < 10_000);

test("time can be passed up to the present, and never back", () => {
  const clock = new MovingClock(Date.now() - 3 * hourMs);
  const monotonicMs = clock.monotonicMs();
  near(clock.now(), Date.now() - 3 * hourMs);
  clock.moveTo(Date.now() - hourMs);
  near(clock.now(), Date.now() - hourMs);
  near(clock.monotonicMs() - monotonicMs, 2 * hourMs);
  clock.moveTo(Date.now() - 2 * hourMs);
  near(clock.now(), Date.now() - hourMs);
  clock.advance(5 * hourMs);
  near(clock.now(), Date.now());
});
