import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "vitest";
import { CollectedMetrics } from "../test/support/index.ts";
import { everyMs, watchEventLoop } from "./event-loop.ts";

const blockedMs = 400;
/** The timer may have been due at any time of the last interval. */
const shownS = (blockedMs - everyMs - 50) / 1e3;

test("a blocked event loop shows in the next scrape alone, and nothing does after the end", async (t) => {
  const metrics = new CollectedMetrics();
  const end = watchEventLoop(metrics);
  t.onTestFinished(end);
  for (let turn = 0; turn < 2; turn++) await delay(everyMs * 1.2);
  const endMs = performance.now() + blockedMs;
  while (performance.now() < endMs);
  for (let turn = 0; turn < 2; turn++) await delay(everyMs * 1.2);
  const late = await metrics.read();
  const [median, most] = (["0.5", "0.99"] as const).map((quantile) =>
    late.total("muster_event_loop_delay_seconds", { quantile }),
  );
  assert.ok(median !== undefined && most !== undefined);
  assert.ok(most >= shownS && most < 60, `${most} s`);
  assert.ok(median < most, `${median} s is the median`);
  // Fewer measurements than would push the late one out of the last percent.
  let later = most;
  for (let scrape = 0; scrape < 20 && later >= shownS; scrape++) {
    await delay(30);
    later = (await metrics.read()).total("muster_event_loop_delay_seconds", { quantile: "0.99" });
  }
  assert.ok(later < shownS, `${later} s in all later scrapes`);
  end();
  assert.deepEqual((await metrics.read()).values("muster_event_loop_delay_seconds", "quantile"), []);
});
