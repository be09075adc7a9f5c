import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { compare, meanOf, type Rounds } from "./ratio.ts";

/** Evenly distributed and the same in every run. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Rounds whose values vary by a tenth in both directions, together or each for itself. */
function measured(random: () => number, factor: number, starts = 5, rounds = 12): Rounds {
  return Array.from({ length: starts }, () =>
    Array.from({ length: rounds }, () => factor * (7 + (random() - 0.5) * 1.4)),
  );
}

describe("the ratio of two measurements", () => {
  test("is exact if both vary together", () => {
    const base = measured(createRandom(), 1);
    const more = base.map((values) => values.map((value) => value * 1.03));
    const { median, interval, quartiles, starts } = compare(more, base, createRandom());
    for (const value of [median, ...interval, ...quartiles, ...starts])
      assert.ok(Math.abs(value - 1.03) < 1e-9);
  });

  test("has an interval around it that tells 1.1 from 1 although each round varies by more", () => {
    const random = createRandom();
    const { median, interval, quartiles } = compare(measured(random, 1.1), measured(random, 1), random);
    const [low, high] = interval;
    assert.ok(low < median && median < high);
    assert.ok(low > 1 && high < 1.2, `${interval}`);
    assert.ok(quartiles[0] < low && high < quartiles[1], "medians vary less than rounds");
  });

  test("has a wide interval if new processes differ, however many rounds agree", () => {
    const rounds = (value: number) => Array.from({ length: 50 }, () => value);
    const values = [0.95, 1, 1.05, 1.1].map(rounds);
    const base = values.map(() => rounds(1));
    const { interval } = compare(values, base, createRandom());
    assert.ok(interval[0] <= 1 && interval[1] >= 1.05, `${interval}`);
  });

  test("may have several measurements as its base", () => {
    assert.deepEqual(
      meanOf([
        [[1, 2], [3]],
        [[3, 4], [5]],
      ]),
      [[2, 3], [4]],
    );
  });
});
