import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import { test } from "vitest";
import { change, filterOf, transitionsOf, updateOf } from "./transition.ts";

interface Task {
  _id: string;
  status: "open" | "held" | "done";
  names: string[];
  count: number;
  note?: string;
}

const table = { open: ["held"], held: ["open", "done"], done: [] } as const;
const transition = transitionsOf<Task, typeof table>();

test("a transition happens in its statuses and under its condition, and nowhere else", async (t) => {
  const tasks = (await openTestStore(t)).db.collection<Task>("tasks");
  await tasks.insertOne({ _id: "a", status: "open", names: ["x"], count: 1, note: "old" });
  const key = { _id: "a" };
  const take = transition("held", ["open"], {
    guard: { count: { $lt: 2 } },
    set: { count: 5 },
    unset: ["note"],
    push: { names: "y" },
  });
  assert.equal(await change(tasks, { _id: "b" }, take), false);
  assert.equal(await change(tasks, key, take), true);
  assert.deepEqual(await tasks.findOne(key), { _id: "a", status: "held", names: ["x", "y"], count: 5 });
  assert.equal(await change(tasks, key, take), false);
  const back = transition("open", ["held"], { pull: { names: "x" }, inc: { count: -3 } });
  assert.equal(await change(tasks, key, back), true);
  assert.deepEqual(await tasks.findOne(key), { _id: "a", status: "open", names: ["y"], count: 2 });
  assert.equal(await change(tasks, key, take), false, "its condition is false now");
});

test("a command names no operator and no status that its transition lacks", () => {
  assert.deepEqual(filterOf<Task>({ guard: { count: 1 } }), { count: 1 });
  assert.deepEqual(filterOf<Task>({ from: ["open"] }), { status: "open" });
  assert.deepEqual(filterOf<Task>({ from: ["open", "held"] }), { status: { $in: ["open", "held"] } });
  assert.deepEqual(updateOf<Task>({ inc: { count: 1 } }), { $inc: { count: 1 } });
});
