import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { FileBudget, NoRoomError, type Room } from "./file-budget.ts";

const never = new AbortController().signal;
const minute = 60_000;

describe("room for files in memory", () => {
  test("the budget never gives more than it has, serves every waiter, and gets all of it back", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 30 });
    const property = fc.asyncProperty(sizes, fc.infiniteStream(fc.nat()), async (wanted, choices) => {
      const budget = new FileBudget({ maxBytes: 100, maxWaitMs: minute });
      const held: Room[] = [];
      const served: number[] = [];
      const all = wanted.map(async (bytes, index) => {
        held.push(await budget.take("prj_1", bytes, never));
        served.push(index);
        assert.ok(budget.usedBytes <= 100);
      });
      while (served.length < wanted.length) {
        await new Promise(setImmediate);
        const at = Number(choices.next().value) % Math.max(held.length, 1);
        for (const room of held.splice(at, 1)) {
          room.free();
          room.free();
        }
      }
      await Promise.all(all);
      for (const room of held) room.free();
      await new Promise(setImmediate);
      assert.deepEqual([budget.usedBytes, served], [0, wanted.map((_, index) => index)]);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test("a waiter that waits too long or leaves takes nothing, and does not delay the next", async () => {
    const budget = new FileBudget({ maxBytes: 100, maxWaitMs: 1 });
    const first = await budget.take("prj_1", 80, never);
    await assert.rejects(budget.take("prj_1", 50, never), NoRoomError);
    const patient = new FileBudget({ maxBytes: 100, maxWaitMs: minute });
    const other = await patient.take("prj_1", 80, never);
    const leaving = new AbortController();
    const left = patient.take("prj_1", 50, leaving.signal);
    const next = patient.take("prj_2", 20, never);
    leaving.abort(new Error("gone"));
    await assert.rejects(left, /gone/);
    (await next).free();
    other.free();
    first.free();
    await new Promise(setImmediate);
    assert.deepEqual([budget.usedBytes, patient.usedBytes], [0, 0]);
  });

  test("a cache takes from the first half, and only if no call waits", async () => {
    const budget = new FileBudget({ maxBytes: 100, maxWaitMs: minute });
    const kept = await budget.tryTake("prj_1", 50);
    assert.ok(kept);
    assert.equal(await budget.tryTake("prj_2", 1), undefined);
    const waiting = budget.take("prj_1", 60, never);
    kept.free();
    (await waiting).free();
    await new Promise(setImmediate);
    assert.equal(budget.usedBytes, 0);
  });

  test("a project whose calls fill their share leaves room, and one that waits is next", async () => {
    const budget = new FileBudget({ maxBytes: 100, maxWaitMs: minute });
    const order: string[] = [];
    const take = async (projectId: string, bytes: number) => {
      const room = await budget.take(projectId, bytes, never);
      order.push(projectId);
      return room;
    };
    const flood = Array.from({ length: 10 }, () => take("flood", 25));
    const first = await take("other", 25);
    assert.deepEqual(order, ["flood", "flood", "flood", "other"]);
    const second = take("other", 40);
    for (const room of flood.slice(0, 2)) (await room).free();
    first.free();
    (await second).free();
    assert.ok(order.length <= 7, `${order}`);
    for (const room of flood) (await room).free();
  });
});
