import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { type EventLine, linesIn, linesOf, shortLinesOf } from "./events-document.ts";

const type = fc.constantFrom("start", "text-delta", "tool-input-delta");
const text = fc.oneof(fc.string(), fc.constantFrom('":"', '"}', "+", "\n", "\\", ""));
const value = fc.oneof(
  fc.record({ id: fc.constantFrom("a", "b"), delta: text }),
  fc.record({ delta: text, index: fc.nat(3) }, { requiredKeys: ["delta"] }),
  fc.record({ type, content: fc.record({ delta: text }) }),
  fc.jsonValue(),
);
const anyLine: fc.Arbitrary<EventLine> = fc.record(
  { type, json: value.map((each) => JSON.stringify(each)) },
  { noNullPrototype: true },
);

test("the short text of events contains them all, whatever they are, also if it continues another one", () => {
  const lines = fc.array(anyLine, { maxLength: 20 });
  fc.assert(
    fc.property(lines, lines, (first, second) => {
      const text = shortLinesOf(first) + shortLinesOf(second);
      assert.deepEqual(linesIn(text), [...first, ...second]);
      assert.ok(text.length <= linesOf([...first, ...second]).length);
    }),
    { numRuns: 500 },
  );
});

test("a delta like the one before takes no more than its text and two characters", () => {
  const deltas = ["Good", ' "mor', 'ning"'].map((delta) => ({
    type: "text-delta",
    json: JSON.stringify({ type: "text-delta", id: "txt_1", delta }),
  }));
  const [first] = deltas;
  assert.equal(shortLinesOf(deltas), `${linesOf(first ? [first] : [])}+ \\"mor\n+ning\\"\n`);
});
