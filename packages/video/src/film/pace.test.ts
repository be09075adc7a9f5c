import fc from "fast-check";
import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

/** Films with a frame whenever that is allowed. */
function filmed(pace: Pace, videoMs: number, bytesOf: (frame: number) => number) {
  let frames = 0;
  let bytes = 0;
  for (let timeMs = 0; timeMs < videoMs; timeMs += 100) {
    if (!pace.allows(timeMs)) continue;
    const size = bytesOf(frames++);
    pace.spend(size);
    bytes += size;
  }
  return { frames, bytes };
}

test("small changes show at least five times a second", () => {
  expect(filmed(new Pace(), 60_000, () => 1000).frames).toBeGreaterThan(300);
});

test("a minute in which everything scrolls costs a bounded number of frames", () => {
  const { frames } = filmed(new Pace(), 60_000, () => 80 << 10);
  expect(frames).toBeGreaterThan(60);
  expect(frames).toBeLessThan(120);
});

test("the first change after a quiet time shows at once", () => {
  const pace = new Pace();
  filmed(pace, 10_000, () => 80 << 10);
  expect(pace.allows(13_000)).toBe(true);
});

test("whatever frames cost, one follows within a second", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5 << 20), { minLength: 20, maxLength: 20 }), (sizes) => {
      const pace = new Pace();
      let lastMs = 0;
      for (let timeMs = 0; sizes.length > 0; timeMs += 100) {
        if (!pace.allows(timeMs)) continue;
        pace.spend(sizes.pop() ?? 0);
        expect(timeMs - lastMs).toBeLessThanOrEqual(1000);
        lastMs = timeMs;
      }
    }),
  );
});
