import assert from "node:assert/strict";
import { test } from "vitest";
import { nextAction, type SlotOfAgent } from "./next-action.ts";

const nowMs = 1_000_000;
const idle: SlotOfAgent = { queue: [], current: null, lease: null, paused: false };
const current = { threadId: "thr_1", runId: "run_1" };
const lease = (holder: string, inMs: number) => ({ holder, until: new Date(nowMs + inMs) });

const table: Array<[string, SlotOfAgent, string]> = [
  ["an idle agent rests", idle, "rest"],
  ["an agent with a queue is claimed", { ...idle, queue: ["thr_1", "thr_2"] }, "claim"],
  ["a paused agent holds its queue", { ...idle, queue: ["thr_1"], paused: true }, "wait"],
  ["a deleted agent begins nothing", { ...idle, queue: ["thr_1"], deletedAt: new Date() }, "wait"],
  ["a run whose holder lives is left alone", { ...idle, current, lease: lease("a", 1) }, "wait"],
  ["a run whose lease has run out is taken over", { ...idle, current, lease: lease("a", -1) }, "take-over"],
  ["a run without a lease is taken over", { ...idle, current }, "take-over"],
  ["a paused agent's run continues", { ...idle, current, lease: lease("a", -1), paused: true }, "take-over"],
  [
    "a deleted agent's run is taken over, so that it ends",
    { ...idle, current, lease: lease("a", -1), deletedAt: new Date() },
    "take-over",
  ],
];

for (const [title, agent, expected] of table) {
  test(title, () => assert.equal(nextAction(agent, { nowMs, onlyHolder: undefined }).type, expected));
}

test("the first of the queue is claimed", () => {
  const action = nextAction({ ...idle, queue: ["thr_2", "thr_1"] }, { nowMs, onlyHolder: undefined });
  assert.deepEqual(action, { type: "claim", threadId: "thr_2" });
});

test("the only instance takes the run of another holder at once, and never its own", () => {
  const held = { ...idle, current, lease: lease("dead", 10_000) };
  assert.equal(nextAction(held, { nowMs, onlyHolder: "me" }).type, "take-over");
  assert.equal(nextAction(held, { nowMs, onlyHolder: "dead" }).type, "wait");
});
