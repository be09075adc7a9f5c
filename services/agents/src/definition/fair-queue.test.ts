import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

describe("the fair queue", () => {
  test("owners of the fair queue take turns, whatever the order and amount of their work", () => {
    const queue = new FairQueue<string>({ perOwner: 10, inAll: 10 });
    for (const item of ["a1", "a2", "a3"]) queue.push("a", item);
    queue.push("b", "b1");
    const order: string[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      order.push(next.item);
      queue.done(next.owner);
    }
    assert.deepEqual(order, ["a1", "b1", "a2", "a3"]);
  });

  test("an owner of the fair queue has one running job at a time", () => {
    const queue = new FairQueue<string>({ perOwner: 10, inAll: 10 });
    queue.push("a", "a1");
    queue.push("a", "a2");
    assert.equal(queue.take()?.item, "a1");
    assert.equal(queue.take(), undefined);
    queue.push("b", "b1");
    assert.equal(queue.take()?.item, "b1");
    queue.done("a");
    assert.equal(queue.take()?.item, "a2");
  });

  test("an owner with a full share leaves room for others until the fair queue is full", () => {
    const queue = new FairQueue<number>({ perOwner: 2, inAll: 3 });
    assert.deepEqual(
      [1, 2, 3].map((item) => queue.push("a", item)),
      [true, true, false],
    );
    assert.deepEqual(
      [4, 5].map((item) => queue.push("b", item)),
      [true, false],
    );
    assert.equal(queue.take()?.item, 1);
    assert.ok(queue.push("c", 6));
  });
});
