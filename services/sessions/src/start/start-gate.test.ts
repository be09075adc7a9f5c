import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test, vi } from "vitest";
import { StartGate } from "./start-gate.ts";

describe("the gate of starts", () => {
  test("at most as many starts as it lets through run at a time, in the order of their arrival, and all of them end", async () => {
    const startsOf = fc.array(fc.record({ fails: fc.boolean(), pauses: fc.nat(3) }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(startsOf, fc.integer({ min: 1, max: 5 }), async (starts, max) => {
        const gate = new StartGate(max);
        const order: number[] = [];
        let inside = 0;
        const outcomes = starts.map(({ fails, pauses }, i) =>
          gate.pass(async () => {
            order.push(i);
            assert.ok(++inside <= max, `${inside} inside`);
            for (let pause = 0; pause < pauses; pause++) await new Promise(setImmediate);
            inside--;
            if (fails) throw new Error(`start ${i} fails`);
            return i;
          }),
        );
        const settled = await Promise.allSettled(outcomes);
        assert.deepEqual(
          settled.map(({ status }) => status === "rejected"),
          starts.map(({ fails }) => fails),
        );
        assert.deepEqual(
          order,
          starts.map((_, i) => i),
        );
      }),
    );
  });

  test("a start waits no longer than a moment for others that are stuck", async () => {
    vi.useFakeTimers();
    const gate = new StartGate(1);
    void gate.pass(() => new Promise(() => {}));
    let isIn = false;
    const second = gate.pass(async () => {
      isIn = true;
    });
    await vi.advanceTimersByTimeAsync(249);
    assert.equal(isIn, false);
    await vi.advanceTimersByTimeAsync(1);
    await second;
    assert.equal(isIn, true);
    vi.useRealTimers();
  });
});
