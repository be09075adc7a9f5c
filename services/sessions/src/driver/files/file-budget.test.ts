import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { FileBudget, NoRoomError, type Room } from "./file-budget.ts";

const never = new AbortController().signal;
const minute = 60_000;

describe("room for files in memory", () => {
  test("never more is given than there is, everybody is served, and all of it comes back", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 30 });
    const property = fc.asyncProperty(sizes, fc.infiniteStream(fc.nat()), async (wanted, choices) => {
      const budget = new FileBudget({ maxBytes: 100, maxWaitMs: minute });
      const held: Room[] = [];
      const served: number[] = [];
      const all = wanted.map(async (bytes, index) => {
        held.push(await budget.take(bytes, never));
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
      assert.deepEqual([budget.usedBytes, served], [0, wanted.map((_, index) => index)]);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test("who waits too long or leaves takes nothing, and does not hold up the next", async () => {
    const budget = new FileBudget({ maxBytes: 100, maxWaitMs: 1 });
    const first = await budget.take(80, never);
    await assert.rejects(budget.take(50, never), NoRoomError);
    const patient = new FileBudget({ maxBytes: 100, maxWaitMs: minute });
    const other = await patient.take(80, never);
    const leaving = new AbortController();
    const left = patient.take(50, leaving.signal);
    const next = patient.take(20, never);
    leaving.abort(new Error("gone"));
    await assert.rejects(left, /gone/);
    (await next).free();
    other.free();
    first.free();
    assert.deepEqual([budget.usedBytes, patient.usedBytes], [0, 0]);
  });

  test("a cache takes from the first half, and only if nobody waits", async () => {
    const budget = new FileBudget({ maxBytes: 100, maxWaitMs: minute });
    const kept = budget.tryTake(50);
    assert.ok(kept);
    assert.equal(budget.tryTake(1), undefined);
    const waiting = budget.take(60, never);
    kept.free();
    (await waiting).free();
    assert.equal(budget.usedBytes, 0);
  });
});
