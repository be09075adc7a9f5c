import assert from "node:assert/strict";
import { test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("at most the given number of tasks runs at once, and each of a thousand gets its turn", async () => {
  const queue = new FairQueue(4);
  let [running, mostAtOnce, done] = [0, 0, 0];
  const task = async () => {
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    await turn();
    running -= 1;
    done += 1;
  };
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => queue.run(`name ${n % 3}`, task)));
  assert.deepEqual([mostAtOnce, done], [4, 1_000]);
});

test("a name with one task waits for one task of a name with hundreds", async () => {
  const queue = new FairQueue(1);
  const order: string[] = [];
  const add = (name: string) =>
    queue.run(name, async () => {
      await turn();
      order.push(name);
    });
  const flood = Array.from({ length: 300 }, () => add("flood"));
  await add("other");
  assert.ok(order.length <= 3, `${order.length} tasks ran first`);
  await Promise.all(flood);
});

test("a task that fails makes room for the next one", async () => {
  const queue = new FairQueue(1);
  const failing = queue.run("a", async () => assert.fail("broken"));
  const next = queue.run("a", async () => "next");
  await assert.rejects(failing, /broken/);
  assert.equal(await next, "next");
  assert.equal(await queue.run("a", async () => "later"), "later");
});
