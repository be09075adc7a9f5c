import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Clock } from "./clock.ts";
import { Pace } from "./pace.ts";

const minuteMs = 60_000;

describe("the clock of a video", () => {
  test("shows a run without pauses unchanged", () => {
    const clock = new Clock(2000, 5000);
    expect([0, 400, 1400, 1400, 2000].map((at) => clock.due(at))).toEqual([2000, 2400, 3400, 3400, 4000]);
    expect(clock.gapAt(3900)).toBeUndefined();
  });

  test("shortens a pause of more than a second, and marks it", () => {
    const clock = new Clock(0, 50_000);
    clock.due(1000);
    const due = clock.due(43_000);
    expect(due).toBeGreaterThan(2000);
    expect(due).toBeLessThan(3500);
    expect(clock.gapAt(1100)).toBeUndefined();
    expect(clock.gapAt(due - 100)?.pauseMs).toBe(42_000);
    expect(clock.gapAt(due)).toBeUndefined();
    expect(clock.runTimeAt(due)).toBe(43_000);
  });

  test("waits where there is something to read, up to a budget", () => {
    const clock = new Clock(0, 1000);
    clock.due(0);
    clock.wait(2000);
    expect(clock.due(100)).toBe(2000);
    let last = 0;
    for (let index = 0; index < 1000; index++) {
      clock.wait(5000);
      last = clock.due(100);
    }
    expect(last).toBeLessThan(50_000);
  });

  test("shows half an hour of steady work in about five minutes, and says how much faster", () => {
    const clock = new Clock(0, 30 * minuteMs);
    let last = 0;
    let speed = 1;
    for (let at = 0; at <= 30 * minuteMs; at += 200) {
      last = clock.due(at);
      speed = Math.max(speed, clock.speed);
    }
    expect(last).toBeLessThan(6 * minuteMs);
    expect(last).toBeGreaterThan(3 * minuteMs);
    expect(speed).toBeGreaterThan(3);
  });

  test("shows half an hour that is nearly all pauses without haste", () => {
    const clock = new Clock(0, 30 * minuteMs);
    let last = 0;
    for (let at = 0; at <= 30 * minuteMs; at += minuteMs) last = clock.due(at);
    expect(last).toBeLessThan(2 * minuteMs);
    expect(clock.speed).toBe(1);
  });

  test("never runs backwards and never exceeds its bound, whatever the times say", () => {
    const time = fc.oneof(
      fc.integer({ min: 0, max: 1e7 }),
      fc.double({ noNaN: false }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, Number.MAX_SAFE_INTEGER),
    );
    fc.assert(
      fc.property(fc.array(time, { maxLength: 300 }), time, (times, runMs) => {
        const clock = new Clock(2000, runMs);
        let last = 0;
        for (const at of times) {
          clock.wait(3000);
          const due = clock.due(at);
          expect(due).toBeGreaterThanOrEqual(last);
          expect(Number.isFinite(clock.runTimeAt(due))).toBe(true);
          last = due;
        }
        expect(last).toBeLessThan(2000 + Pace.maxMs + minuteMs);
      }),
    );
  });

  test("bounds the video of a million pauses", () => {
    const clock = new Clock(0, 1000);
    let last = 0;
    for (let index = 0; index < 1_000_000; index++) last = clock.due(index * 5000);
    expect(last).toBeLessThanOrEqual(Pace.maxMs);
  });
});
