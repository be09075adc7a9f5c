import assert from "node:assert/strict";
import { stat } from "node:fs";
import { test } from "vitest";
import { nextTurn, turnAfter } from "./pause.ts";

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
