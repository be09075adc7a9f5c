import assert from "node:assert/strict";
import { type TestContext, test, vi } from "vitest";
import { EarlySave } from "./checkpoints.ts";

function useFakeTimers(t: TestContext): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  t.onTestFinished(() => {
    vi.useRealTimers();
  });
}

test("a step that ends in time is never saved early, and a longer one is saved once", async (t) => {
  useFakeTimers(t);
  const save = vi.fn(async () => undefined);
  const early = new EarlySave(1_000, save, () => false);
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

test("a state whose events are still being sent is not saved early, but soon after, unless another write is faster", async (t) => {
  useFakeTimers(t);
  let isBusy = true;
  const save = vi.fn(async () => undefined);
  const early = new EarlySave(1_000, save, () => isBusy);
  early.start();
  vi.advanceTimersByTime(5_000);
  assert.equal(save.mock.calls.length, 0);
  isBusy = false;
  vi.advanceTimersByTime(1_000);
  assert.equal(save.mock.calls.length, 1);
  isBusy = true;
  early.start();
  vi.advanceTimersByTime(1_000);
  await early.end();
  isBusy = false;
  vi.advanceTimersByTime(5_000);
  assert.equal(save.mock.calls.length, 1);
});
