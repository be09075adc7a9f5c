import assert from "node:assert/strict";
import { stat } from "node:fs";
import { test } from "vitest";
import { nextTurn, turnAfter, turnIfSpent } from "./pause.ts";

test("timers that are due run before a pause in the callback of an operation ends", async () => {
  const fired = await new Promise<boolean>((resolve) => {
    stat(import.meta.filename, async () => {
      let isFired = false;
      setTimeout(() => {
        isFired = true;
      }, 1);
      const startMs = performance.now();
      while (performance.now() - startMs < 3);
      await nextTurn();
      resolve(isFired);
    });
  });
  assert.ok(fired);
});

test("only a pass over large data is followed by a pause", () => {
  assert.equal(turnAfter(1_000), undefined);
  assert.ok(turnAfter(1_000_000) instanceof Promise);
});

test("work waits for a later tick exactly if the current one is spent", async () => {
  await nextTurn();
  assert.equal(turnIfSpent(), undefined);
  const startMs = performance.now();
  while (performance.now() - startMs < 15);
  const waiting = turnIfSpent();
  assert.ok(waiting instanceof Promise);
  let isLater = false;
  setImmediate(() => {
    isLater = true;
  });
  await waiting;
  assert.ok(isLater);
});
