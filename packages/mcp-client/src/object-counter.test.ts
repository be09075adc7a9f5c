import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { ObjectCounter } from "./object-counter.ts";

/** Objects and lists, members, and commas. */
function countsOf(value: unknown): [number, number, number] {
  if (typeof value !== "object" || value === null) return [0, 0, 0];
  const inner = Object.values(value);
  const members = Array.isArray(value) ? 0 : inner.length;
  return inner
    .map(countsOf)
    .reduce(
      (sum, counts) => [sum[0] + counts[0], sum[1] + counts[1], sum[2] + counts[2]],
      [1, members, Math.max(0, inner.length - 1)],
    );
}

test("every object, list and member of JSON is counted, however it is cut and whatever precedes it in a stream", () => {
  const quoted = fc.string().map((text) => `: "\\${text.replaceAll(/[\r\n]/g, "")}\n`);
  fc.assert(
    fc.property(fc.jsonValue(), quoted, fc.integer({ min: 0, max: 50 }), (value, comment, cut) => {
      const counter = new ObjectCounter();
      counter.add(Buffer.from(`${comment}data: `));
      const { count, members, commas } = counter;
      const bytes = Buffer.from(`${JSON.stringify(value)}\n\n`);
      for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) counter.add(piece);
      assert.deepEqual(
        [counter.count - count, counter.members - members, counter.commas - commas],
        countsOf(value),
      );
    }),
  );
});
