import assert from "node:assert/strict";
import type { JsonValue } from "@muster/language";
import fc from "fast-check";
import { test } from "vitest";
import { canonicalHash } from "./canonical-hash.ts";

/** The same value; every object has its keys in the opposite order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]): [string, JsonValue] => [key, reversed(member)]));
}

const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "1", "a,", '"', ""));
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    fc.constantFrom(true, false, null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(key, tie("json")), { selector: ([name]) => name, maxLength: 4 })
      .map((entries): JsonValue => Object.fromEntries(entries)),
  ),
}));

test("the order of keys makes no difference", async () => {
  const property = fc.asyncProperty(json, async (value) => {
    assert.equal(await canonicalHash(reversed(value)), await canonicalHash(value));
  });
  await fc.assert(property, { numRuns: 500 });
});

test("different values have different hashes", async () => {
  const property = fc.asyncProperty(json, json, async (one, other) => {
    const areEqual = sorted(one) === sorted(other);
    assert.equal((await canonicalHash(one)) === (await canonicalHash(other)), areEqual);
  });
  await fc.assert(property, { numRuns: 500 });
  for (const [one, other] of [
    [[1, 2], [12]],
    [{ a: [] }, { a: {} }],
    [["a", "b"], ["a,b"]],
    [[[1], 2], [[1, 2]]],
    [{ a: "1" }, { a: 1 }],
    [{}, { a: null }],
  ] as const) {
    assert.notEqual(await canonicalHash(one), await canonicalHash(other));
  }
});

test("other work can run while a large value is read", async () => {
  let pauses = 0;
  const count = async () => {
    pauses += 1;
  };
  await canonicalHash(Array<null>(50_000).fill(null), count);
  await canonicalHash("x".repeat(1_000_000), count);
  assert.ok(pauses >= 25, `${pauses} pauses`);
  pauses = 0;
  await canonicalHash({ a: [1, 2, { b: null }] }, count);
  assert.equal(pauses, 0);
});

/** Another way to the same order. */
function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.entries(member)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .flat()
          .concat("an object")
      : member,
  );
}
