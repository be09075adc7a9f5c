import assert from "node:assert/strict";
import { test } from "vitest";
import { changesOf } from "./changes-of.ts";

test("changed, added and removed values are named by their path, at any depth", () => {
  const before = { amount: 500, items: [{ price: 1 }, { price: 2 }], note: "a", same: null };
  const after = { amount: 120, items: [{ price: 1 }], same: null, reason: "b" };
  assert.deepEqual(changesOf(before, after), [
    { path: "amount", from: "500", to: "120" },
    { path: "items.1.price", from: "2", to: undefined },
    { path: "note", from: '"a"', to: undefined },
    { path: "reason", from: undefined, to: '"b"' },
  ]);
});

test("a text that looks like a number differs from the number", () => {
  assert.deepEqual(changesOf({ id: 7 }, { id: "7" }), [{ path: "id", from: "7", to: '"7"' }]);
});
