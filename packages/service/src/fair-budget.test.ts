import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { FairBudget } from "./fair-queue.ts";

/** How often the owner gets one more. */
function takeAll(budget: FairBudget, owner: string): number {
  let taken = 0;
  while (budget.take(owner, 1)) taken += 1;
  return taken;
}

describe("the fair budget", () => {
  test("owners that take all they get leave something for each newcomer", () => {
    const budget = new FairBudget(1_000);
    const taken = Array.from("abcdef", (owner) => takeAll(budget, owner));
    assert.deepEqual(taken, [750, 187, 47, 12, 3, 1]);
    for (let amount = 0; amount < 750; amount++) budget.give("a", 1);
    assert.equal(takeAll(budget, "new"), 562);
  });

  test("a budget of one serves one owner after the other", () => {
    const budget = new FairBudget(1);
    assert.ok(budget.take("a", 1));
    assert.ok(!budget.take("b", 1));
    budget.give("a", 1);
    assert.ok(budget.take("b", 1));
  });

  test("owners never have more than the limit together, and all that is given back can be taken again", () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom(..."abc"), fc.integer({ min: 1, max: 60 }), fc.boolean()),
    );
    fc.assert(
      fc.property(steps, (all) => {
        const budget = new FairBudget(100);
        const held: [string, number][] = [];
        for (const [owner, size, isTaken] of all) {
          if (isTaken && budget.take(owner, size)) held.push([owner, size]);
          else if (!isTaken) for (const [of, given] of held.splice(0, 1)) budget.give(of, given);
          assert.equal(
            budget.used,
            held.reduce((sum, [, each]) => sum + each, 0),
          );
          assert.ok(budget.used <= 100);
        }
        for (const [owner, size] of held) budget.give(owner, size);
        assert.ok(budget.take("new", 100));
      }),
    );
  });
});
