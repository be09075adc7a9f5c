import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { closest, editDistance } from "./suggest.ts";

test("suggestions start with the closest name and leave out distant ones", () => {
  const known = ["next-message", "add-message", "tool-call", "set-resource"];
  assert.deepEqual(closest("nxt-message", known), ["next-message"]);
  assert.deepEqual(closest("NEXT_MESSAGE", known), ["next-message"]);
  assert.deepEqual(closest("something-else", known), []);
  assert.deepEqual(closest("user-mesage", ["user-messages", "user-message", "the-messages"]), [
    "user-message",
    "user-messages",
  ]);
});

test("a name is never suggested for itself", () => {
  assert.deepEqual(closest("next-message", ["next-message", "next-messages"]), ["next-messages"]);
});

test("only wrong case is corrected in names of one or two characters", () => {
  assert.deepEqual(closest("Q", ["n", "q", "OUT", "L"]), ["q"]);
  assert.deepEqual(closest("ab", ["ac", "A_B", "AB"]), ["AB"]);
  assert.deepEqual(closest("abc", ["abd"]), ["abd"]);
});

test("a prompt in another folder or with .md is suggested", () => {
  const known = ["system", "parts/refund-policy", "parts/b"];
  assert.deepEqual(closest("refund-policy", known), ["parts/refund-policy"]);
  assert.deepEqual(closest("shared/refund-policy", known), ["parts/refund-policy"]);
  assert.deepEqual(closest("system.md", known), ["system"]);
});

test("long names and long lists are not compared", () => {
  assert.deepEqual(closest("x".repeat(41), ["x".repeat(40)]), []);
  const many = [...Array.from({ length: 300 }, (_, index) => `name-${index}-long`), "wanted"];
  assert.deepEqual(closest("wantet", many), []);
});

test("the distance of two names is zero if they are equal, symmetric, and at most the longer length", () => {
  const text = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(editDistance(a, a), 0);
      assert.equal(editDistance(a, b), editDistance(b, a));
      assert.ok(editDistance(a, b) <= Math.max(a.length, b.length));
    }),
  );
});

test("the distance of names beyond the limit is not computed exactly", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 10 });
  fc.assert(
    fc.property(text, text, fc.nat(6), (a, b, limit) => {
      const [whole, cut] = [editDistance(a, b), editDistance(a, b, limit)];
      assert.ok(whole <= limit ? cut === whole : cut > limit, `${whole} ${cut}`);
    }),
    { numRuns: 2_000 },
  );
});

test("names are compared only while the budget lasts", () => {
  const budget = { left: 3 };
  assert.deepEqual(closest("wantet", ["wantea", "wanteb", "wantec", "wanted"], 5, budget), [
    "wantea",
    "wanteb",
    "wantec",
  ]);
  assert.deepEqual(closest("wantet", ["wanted"], 5, budget), []);
});
