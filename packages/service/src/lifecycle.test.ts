import assert from "node:assert/strict";
import { test } from "vitest";
import { stopAll } from "./lifecycle.ts";

test("every step of a stop runs even if an earlier one fails, and the failure is reported", async () => {
  const ran: number[] = [];
  const stopped = stopAll([
    async () => ran.push(1),
    async () => {
      throw new Error("stuck");
    },
    async () => ran.push(3),
  ]);
  await assert.rejects(stopped, (error) => error instanceof AggregateError && error.errors.length === 1);
  assert.deepEqual(ran, [1, 3]);
});
