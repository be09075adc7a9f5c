import assert from "node:assert/strict";
import fc from "fast-check";
import { test, vi } from "vitest";
import { BodyGate, maxErrorBodyBytes, ResponseTooLarge } from "./body-gate.ts";

const bounds = { maxEventBytes: 100, maxResponseBytes: 1000, maxBytesPerSecond: 1000 };

function admitAll(gate: BodyGate, text: string, chunkBytes: number): string {
  const bytes = Buffer.from(text);
  let admitted = "";
  for (let start = 0; start < bytes.length; start += chunkBytes)
    admitted += gate.admit(bytes.subarray(start, start + chunkBytes)).toString();
  return admitted;
}

for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
  test(`events that end with ${JSON.stringify(end)} are counted one by one, regardless of how the bytes are split`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (chunkBytes) => {
        const events = `data: ${"x".repeat(80)}${end}`.repeat(8);
        assert.equal(admitAll(new BodyGate(200, bounds), events, chunkBytes), events);
        const long = `${events.slice(0, 170)}data: ${"x".repeat(200)}`;
        assert.throws(() => admitAll(new BodyGate(200, bounds), long, chunkBytes), ResponseTooLarge);
      }),
    );
  });
}

test("a chunk that ends with an event is counted without a search", () => {
  const chunk = Buffer.from(`data: ${"x".repeat(80)}\n\n`);
  const search = vi.spyOn(chunk, "lastIndexOf");
  const gate = new BodyGate(200, bounds);
  for (let n = 0; n < 5; n++) gate.admit(chunk);
  assert.equal(search.mock.calls.length, 0);
});

test("an event of many lines has the same limit as one long line", () => {
  const text = "data: a\n".repeat(20);
  assert.throws(() => admitAll(new BodyGate(200, bounds), text, 8), ResponseTooLarge);
});

test("a response of many small events is limited as a whole", () => {
  const text = "data: a\n\n".repeat(200);
  assert.throws(() => admitAll(new BodyGate(200, bounds), text, 9), ResponseTooLarge);
});

test("an error body is truncated instead of refused", () => {
  const gate = new BodyGate(500, bounds);
  assert.equal(gate.isFull, false);
  const admitted = admitAll(gate, "x".repeat(2 * maxErrorBodyBytes), 1000);
  assert.equal(admitted.length, maxErrorBodyBytes);
  assert.equal(gate.isFull, true);
});
