import assert from "node:assert/strict";
import { test } from "node:test";
import { EarlySave } from "./early-save.ts";

test("what ends before its time is never saved early, and what does not is saved once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const save = t.mock.fn(async () => undefined);
  const early = new EarlySave(1_000, save);
  early.start();
  t.mock.timers.tick(999);
  await early.end();
  t.mock.timers.tick(10_000);
  assert.equal(save.mock.callCount(), 0);
  early.start();
  t.mock.timers.tick(10_000);
  await early.end();
  assert.equal(save.mock.callCount(), 1);
});
