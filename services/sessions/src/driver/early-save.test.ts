import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { EarlySave } from "./early-save.ts";

test("a step that ends in time is never saved early, and a longer one is saved once", async (t) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  t.onTestFinished(() => {
    vi.useRealTimers();
  });
  const save = vi.fn(async () => undefined);
  const early = new EarlySave(1_000, save);
  early.start();
  vi.advanceTimersByTime(999);
  await early.end();
  vi.advanceTimersByTime(10_000);
  assert.equal(save.mock.calls.length, 0);
  early.start();
  vi.advanceTimersByTime(10_000);
  await early.end();
  assert.equal(save.mock.calls.length, 1);
});
