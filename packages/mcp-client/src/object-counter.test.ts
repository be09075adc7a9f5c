import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { ObjectCounter } from "./object-counter.ts";

function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((sum: number, inner) => sum + countOf(inner), 0);
}

test("every object and list of JSON is counted, however it is cut and whatever precedes it in a stream", () => {
  const quoted = fc.string().map((text) => `: "\\${text.replaceAll(/[\r\n]/g, "")}\n`);
  fc.assert(
    fc.property(fc.jsonValue(), quoted, fc.integer({ min: 0, max: 50 }), (value, comment, cut) => {
      const counter = new ObjectCounter();
      counter.add(Buffer.from(comment));
      const before = counter.count;
      const bytes = Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
      for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) counter.add(piece);
      assert.equal(counter.count - before, countOf(value));
    }),
  );
});
