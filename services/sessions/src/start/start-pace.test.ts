import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { StartPace } from "./start-pace.ts";

/** Lets the code after awaited promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the pace of starts", () => {
  test("no turn of the event loop begins more starts than allowed, all begin in the order of their arrival, and none waits for others to end", async () => {
    const arrivals = fc.array(fc.nat(12), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 5 }), async (arrivingPerTurn, perTurn) => {
        const turns: (() => void)[] = [];
        const pace = new StartPace(perTurn, (turn) => turns.push(turn));
        const begun: number[] = [];
        let arrived = 0;
        let before = 0;
        const check = async () => {
          await settle();
          assert.ok(begun.length - before <= perTurn, `${begun.length - before} starts in one turn`);
          before = begun.length;
        };
        for (const arriving of arrivingPerTurn) {
          turns.shift()?.();
          for (let i = 0; i < arriving; i++) {
            const start = arrived++;
            void pace.turn().then(() => begun.push(start));
          }
          await check();
        }
        for (let turn = turns.shift(); turn; turn = turns.shift()) {
          turn();
          await check();
        }
        assert.deepEqual(
          begun,
          Array.from({ length: arrived }, (_, start) => start),
        );
      }),
    );
  });

  test("a start that arrives alone begins at once", async () => {
    let isBegun = false;
    void new StartPace(1, () => {}).turn().then(() => {
      isBegun = true;
    });
    await settle();
    assert.equal(isBegun, true);
  });
});
