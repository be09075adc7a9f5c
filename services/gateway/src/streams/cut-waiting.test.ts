import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { cutWaiting } from "./open-streams.ts";

const nowMs = 1_000_000;

/** The streams that are cut, by number. `stoppedMs`: since when the reader has taken nothing. */
function cutOf(
  streams: { waitingBytes: number; stoppedMs: number; projectId?: string }[],
  maxBytes: number,
): number[] {
  const cut: number[] = [];
  cutWaiting(
    streams.map(({ waitingBytes, stoppedMs, projectId = "prj_1" }, n) => {
      const lastTakenMs = nowMs - stoppedMs;
      return [{ waitingBytes, lastTakenMs, cutStalled: () => void cut.push(n) }, projectId];
    }),
    nowMs,
    maxBytes,
  );
  return cut;
}

describe("data that waits for the readers of all streams", () => {
  test("within the bound, no reader is cut", () => {
    assert.deepEqual(
      cutOf(
        [
          { waitingBytes: 60, stoppedMs: 1_000 },
          { waitingBytes: 40, stoppedMs: 2_000 },
        ],
        100,
      ),
      [],
    );
  });

  test("beyond it, readers are cut until the rest fits, of equal ones the longest silent one first", () => {
    const streams = [
      { waitingBytes: 50, stoppedMs: 1_000 },
      { waitingBytes: 50, stoppedMs: 3_000 },
      { waitingBytes: 0, stoppedMs: 4_000 },
      { waitingBytes: 50, stoppedMs: 2_000 },
    ];
    assert.deepEqual(cutOf(streams, 60), [1, 3]);
  });

  test("the readers of another project are not cut for those of the project for which most is waiting", () => {
    const other = { waitingBytes: 40, stoppedMs: 50_000, projectId: "prj_2" };
    const flood = Array.from({ length: 10 }, (_, n) => ({ waitingBytes: 10, stoppedMs: n }));
    assert.deepEqual(cutOf([other, ...flood], 100), [10, 9, 8, 7]);
  });

  test("a reader for which hardly anything waits is not cut for those that take a byte of megabytes now and then", () => {
    const small = { waitingBytes: 100, stoppedMs: 400 };
    const large = Array.from({ length: 4 }, () => ({ waitingBytes: 4_000_000, stoppedMs: 0 }));
    assert.deepEqual(cutOf([small, ...large, small], 8_000_200), [1, 2]);
  });
});
