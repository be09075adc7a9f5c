import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { EventQueue } from "./event-queue.ts";

async function drain(queue: EventQueue): Promise<number[][]> {
  const batches: number[][] = [];
  for await (const events of queue.batches()) batches.push(events.map(({ sequence }) => sequence));
  return batches;
}

function afterTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

describe("EventQueue", () => {
  test("the events of one tick travel in one batch", async () => {
    const queue = new EventQueue();
    const read = drain(queue);
    for (const _ of [1, 2, 3]) {
      await null;
      queue.push("text-delta", "{}");
    }
    await afterTick();
    queue.push("finish", "{}");
    queue.end();
    assert.deepEqual(await read, [[1, 2, 3], [4]]);
  });

  test("a single event is not delayed for others", async () => {
    const queue = new EventQueue();
    const batches = queue.batches();
    const first = batches.next();
    queue.push("start", "{}");
    assert.equal((await first).value?.length, 1);
  });

  test("a writer waits while the queue is full, by events or by characters, until it is read", async () => {
    for (const json of ["{}", "x".repeat(60)]) {
      const queue = new EventQueue({ events: 3, characters: 100 });
      while (!queue.isFull) queue.push("text-delta", json);
      let wentOn = false;
      const waiting = queue.whenWritable().then(() => {
        wentOn = true;
      });
      await afterTick();
      assert.equal(wentOn, false);
      await queue.batches().next();
      await waiting;
      assert.equal(queue.isFull, false);
    }
  });

  test("events beyond the limit travel in batches that exceed it by at most one event", async () => {
    const queue = new EventQueue({ events: 3, characters: 100 });
    for (const length of [90, 500, 2, 99, 500, 1]) queue.push("resource-update", "x".repeat(length));
    queue.end();
    assert.deepEqual(await drain(queue), [[1, 2], [3, 4], [5], [6]]);
  });

  test("a writer continues after the reader has left, and its events are dropped", async () => {
    const queue = new EventQueue({ events: 1, characters: 100 });
    queue.push("text-delta", "{}");
    const waiting = queue.whenWritable();
    queue.abandon();
    await waiting;
    queue.push("text-delta", "{}");
    assert.equal(queue.isFull, false);
    assert.equal(queue.nextSequence, 3);
    assert.deepEqual(await drain(queue), []);
  });

  test("a waiting writer can be unblocked", async () => {
    const queue = new EventQueue({ events: 1, characters: 100 });
    queue.push("text-delta", "{}");
    const waiting = queue.whenWritable();
    queue.unblock();
    await waiting;
  });

  test("every event arrives once and in order, whatever the timing", async () => {
    const step = fc.constantFrom("push", "tick", "microtask");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const queue = new EventQueue({ events: 4, characters: 1_000 });
        const read = drain(queue);
        let pushed = 0;
        for (const what of steps) {
          if (what === "tick") await afterTick();
          else if (what === "microtask") await null;
          else {
            queue.push("text-delta", "{}");
            pushed += 1;
            await queue.whenWritable();
          }
        }
        queue.end();
        const all = (await read).flat();
        assert.deepEqual(
          all,
          Array.from({ length: pushed }, (_, n) => n + 1),
        );
      }),
      { numRuns: 50 },
    );
  });
});
