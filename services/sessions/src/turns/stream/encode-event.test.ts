import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { encodeEvent } from "./event-queue.ts";

test("the fast encoding of text deltas equals that of JSON.stringify", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constant('\ud800 \u2028 \u0000 "\\ \n'));
  const where = fc.record({ thread: text, workerId: text }, { requiredKeys: [] });
  fc.assert(
    fc.property(text, text, where, (id, delta, whereabouts) => {
      const event = { type: "text-delta" as const, id, delta, ...whereabouts };
      assert.equal(encodeEvent(event), JSON.stringify(event));
    }),
  );
});

test("every event is encoded as one line", () => {
  const event = { type: "text-delta" as const, id: "1", delta: "a\nb", thread: "side" };
  assert.ok(!encodeEvent(event).includes("\n"));
});
