import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeEvent } from "./encode-event.ts";

test("the short way for text deltas says what JSON.stringify says", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constant('\ud800 \u2028 \u0000 "\\ \n'));
  fc.assert(
    fc.property(text, text, (id, delta) => {
      const event = { type: "text-delta" as const, id, delta };
      assert.equal(encodeEvent(event), JSON.stringify(event));
    }),
  );
});

test("events of a named thread keep it, and every event is one line", () => {
  const event = { type: "text-delta" as const, id: "1", delta: "a\nb", thread: "side" };
  assert.deepEqual(JSON.parse(encodeEvent(event)), event);
  assert.ok(!encodeEvent(event).includes("\n"));
});
