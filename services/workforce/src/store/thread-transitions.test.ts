import assert from "node:assert/strict";
import { test } from "vitest";
import { finalStatuses, isFinal, openStatuses, statuses, threadTransitions } from "./thread-transitions.ts";

test("the table allows exactly the moves of the contract", () => {
  const legal = statuses.flatMap((from) => threadTransitions[from].map((to) => `${from} ${to}`));
  assert.deepEqual(legal.sort(), [
    "blocked queued",
    "blocked running",
    "cancelled queued",
    "cancelled running",
    "completed queued",
    "completed running",
    "failed queued",
    "failed running",
    "pending blocked",
    "pending cancelled",
    "pending failed",
    "pending running",
    "queued blocked",
    "queued cancelled",
    "queued pending",
    "queued running",
    "running blocked",
    "running cancelled",
    "running completed",
    "running failed",
    "running queued",
  ]);
});

test("every status is either final or open", () => {
  assert.deepEqual([...openStatuses, ...finalStatuses].sort(), [...statuses].sort());
  assert.deepEqual(statuses.filter(isFinal), finalStatuses);
});
