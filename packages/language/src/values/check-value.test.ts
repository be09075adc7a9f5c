import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { checkValue, type ValueIssue } from "./check-value.ts";
import type { JsonSchema, JsonValue } from "./json.ts";

function issuesOf(schema: JsonSchema, value: JsonValue): ValueIssue[] {
  const issues: ValueIssue[] = [];
  checkValue(schema, value, "it", issues);
  return issues;
}

const words = fc.constantFrom<JsonValue>("a", "b", 1, 1.5, true, null);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    words,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("p", "q", "__proto__"), tie("value"), { maxKeys: 2 }),
  ),
}));
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonSchema>({}, { type: "string" }, { type: "integer" }, { type: "boolean" }),
    fc.record({ enum: fc.array(words, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: words }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({
      type: fc.constant("object"),
      properties: fc.record({ p: tie("schema"), q: tie("schema") }),
      required: fc.subarray(["p", "q"]),
    }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

test("checkValue accepts a value for a union exactly if one variant accepts it", () => {
  fc.assert(
    fc.property(fc.array(schema, { minLength: 1, maxLength: 3 }), value, (anyOf, it) => {
      const alone = anyOf.some((variant) => issuesOf(variant, it).length === 0);
      assert.equal(issuesOf({ anyOf }, it).length === 0, alone);
    }),
    { numRuns: 2_000 },
  );
});

const limits: Array<[schema: JsonSchema, good: JsonValue[], wrong: JsonValue, message: string]> = [
  [{ minimum: 2 }, [2, "1"], 1.9, "it must be at least 2."],
  [{ maximum: 2 }, [2, "3"], 2.1, "it must be at most 2."],
  [{ exclusiveMinimum: 2 }, [2.1, "1"], 2, "it must be greater than 2."],
  [{ exclusiveMaximum: 2 }, [1.9, "3"], 2, "it must be less than 2."],
  [{ minLength: 2 }, ["ab", 1, "👋👋"], "👋", "it must have at least 2 characters."],
  [{ maxLength: 2 }, ["ab", 111, "👋👋"], "abc", "it must have at most 2 characters."],
  [{ minItems: 1 }, [[1], ""], [], "it must have at least 1 items."],
  [{ maxItems: 1 }, [[1], "ab"], [1, 2], "it must have at most 1 items."],
  [{ type: ["array", "null"] }, [[], null], {}, "it must be a list or null."],
  [{ required: ["a"] }, [{ a: null }, 1], {}, "it.a is required."],
  [{ not: { const: 1 } }, [2], 1, "it has a form that its type excludes."],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], 3, "it does not match every part of its type."],
  [{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 3], 1, "it must match exactly one variant of its type."],
];

for (const [schema, good, wrong, message] of limits) {
  test(`checkValue applies ${JSON.stringify(schema)}`, () => {
    for (const value of good) assert.deepEqual(issuesOf(schema, value), []);
    assert.deepEqual(
      issuesOf(schema, wrong).map((issue) => issue.message),
      [message],
    );
  });
}

test("checkValue lists only some of many enum values and shortens long ones", () => {
  const many = issuesOf({ enum: Array.from({ length: 5_000 }, (_, i) => i) }, "x");
  assert.match(many[0]?.message ?? "", /^it must be one of 0, 1, .*19, …\.$/);
  const long = issuesOf({ const: "x".repeat(100_000) }, "y");
  assert.ok((long[0]?.message.length ?? 0) < 100);
});

test("checkValue lists at most fifty problems", () => {
  const required = Array.from({ length: 1_000 }, (_, i) => `p${i}`);
  const properties = Object.fromEntries(required.map((name) => [name, {}]));
  assert.equal(issuesOf({ type: "object", properties, required }, {}).length, 50);
  assert.equal(issuesOf({ type: "array", items: { type: "string" } }, Array(1_000).fill(1)).length, 50);
});
