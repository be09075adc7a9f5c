import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { test } from "vitest";
import { startEdge } from "../../../test/support/start-edge.ts";
import { LoopDelay } from "./admission.ts";

test("three late measurements in a row mean overload, two do not, and one in time ends it", () => {
  let nowMs = 0;
  const delay = new LoopDelay(50, () => nowMs);
  delay.start();
  const measureAfter = (ms: number) => {
    nowMs += ms;
    delay.measure();
    return delay.isOverloaded;
  };
  assert.deepEqual([151, 151, 100, 151, 151, 500, 151, 150, 151].map(measureAfter), [
    ...[false, false, false, false, false],
    ...[true, true, false, false],
  ]);
  delay.stop();
});

test("while the event loop is late, requests are refused with a delay, and health is not", async (t) => {
  const edge = await startEdge(t, {}, { maxEventLoopDelayMs: 50 });
  const busy = setInterval(() => {
    const endMs = performance.now() + 60;
    while (performance.now() < endMs);
  }, 0);
  t.onTestFinished(() => clearInterval(busy));
  const read = () => edge.call("GET", "/api/credential");
  await until("requests are refused", async () => (await read()).status === 503);
  const refused = await read();
  assert.deepEqual([refused.status, refused.json.code], [503, "UNAVAILABLE"]);
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  assert.equal((await edge.call("GET", "/healthz", { key: null })).status, 200);
  await until("it is ready", async () => (await edge.call("GET", "/readyz", { key: null })).status === 200);
  clearInterval(busy);
  await until("requests are admitted again", async () => (await read()).status === 200);
});
