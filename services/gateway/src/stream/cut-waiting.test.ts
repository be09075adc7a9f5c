import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { cutWaiting } from "./cut-waiting.ts";

function cutOf(streams: { waitingBytes: number; lastTakenMs: number }[], maxBytes: number): number[] {
  const cut: number[] = [];
  cutWaiting(
    streams.map((stream, n) => ({ ...stream, cutStalled: () => void cut.push(n) })),
    maxBytes,
  );
  return cut;
}

describe("data that waits for the readers of all streams", () => {
  test("within the bound, no reader is cut", () => {
    assert.deepEqual(
      cutOf(
        [
          { waitingBytes: 60, lastTakenMs: 1 },
          { waitingBytes: 40, lastTakenMs: 2 },
        ],
        100,
      ),
      [],
    );
  });

  test("beyond it, readers are cut until the rest fits, the longest silent one first", () => {
    const streams = [
      { waitingBytes: 50, lastTakenMs: 30 },
      { waitingBytes: 50, lastTakenMs: 10 },
      { waitingBytes: 0, lastTakenMs: 1 },
      { waitingBytes: 50, lastTakenMs: 20 },
    ];
    assert.deepEqual(cutOf(streams, 60), [1, 3]);
  });
});
