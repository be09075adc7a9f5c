import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { GrowingBuffer } from "./growing-buffer.ts";

const piece = fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes));
const pieces = fc.array(piece, { maxLength: 20 });

test("a growing buffer returns the added bytes, and is then empty", () =>
  fc.assert(
    fc.property(pieces, pieces, (first, second) => {
      const buffer = new GrowingBuffer();
      for (const added of [first, second]) {
        for (const each of added) buffer.add(each);
        const expected = Buffer.concat(added);
        assert.deepEqual(buffer.peek(), expected);
        assert.equal(buffer.length, expected.length);
        assert.deepEqual(buffer.take(), expected);
        assert.deepEqual([buffer.length, buffer.capacity], [0, 0]);
      }
    }),
  ));

test("several pieces become a buffer that owns its memory, so that it can be handed to another thread", () => {
  const buffer = new GrowingBuffer();
  for (const each of ["ab", "cde"]) buffer.add(Buffer.from(each));
  const taken = buffer.take();
  assert.deepEqual([taken.byteOffset, taken.buffer.byteLength], [0, 5]);
});

test("a growing buffer takes at most twice what was added, and no more than its bound unless more was added", () =>
  fc.assert(
    fc.property(pieces, fc.nat({ max: 30_000 }), (added, maxBytes) => {
      const free = new GrowingBuffer();
      const bounded = new GrowingBuffer(maxBytes);
      for (const each of added) {
        for (const buffer of [free, bounded]) buffer.add(each);
        assert.ok(free.capacity <= Math.max(1_024, 2 * free.length));
        assert.ok(bounded.capacity <= Math.max(maxBytes, bounded.length));
      }
    }),
  ));
