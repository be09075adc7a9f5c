import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { programOf, protocol, replaced } from "../testing.ts";
import { checkInput } from "./check-input.ts";

const declared = `input:
  NAME: { type: string }
  COUNT: { type: integer, default: 3 }
  TAGS: { type: "string[]", optional: true }
  CASE: { type: Ticket, optional: true }
  ANY: { type: unknown, optional: true }
`;
const { input: specs } = programOf({ protocol: replaced(protocol, "input:\n", declared) });

describe("checkInput", () => {
  test("checkInput fills in defaults, omits absent optional values and drops undeclared names", () => {
    const result = checkInput(specs, { NAME: "Ada", OTHER: 1 });
    assert.deepEqual(result, { ok: true, values: { NAME: "Ada", COUNT: 3, COMPANY: "Acme" } });
  });

  test("null counts as absent for an optional value and is invalid for a required one", () => {
    assert.ok(checkInput(specs, { NAME: "x", TAGS: null }).ok);
    assert.ok(!checkInput(specs, { NAME: null }).ok);
  });

  const wrong: Array<[input: unknown, paths: string[]]> = [
    [undefined, ["NAME"]],
    [[], [""]],
    ["text", [""]],
    [{ NAME: 1, COUNT: 1.5, PLAN: "gold" }, ["NAME", "COUNT", "PLAN"]],
    [{ NAME: "x", TAGS: ["a", 2, null] }, ["TAGS.1", "TAGS.2"]],
    [{ NAME: "x", CASE: { labels: [] } }, ["CASE.title"]],
    [{ NAME: "x", CASE: { title: "t", labels: ["x"], orders: [{}] } }, ["CASE.orders.0.id"]],
    [{ NAME: "x", ANY: JSON.parse('{"__proto__":{"a":1}}') }, ["ANY"]],
    [{ NAME: "x", ANY: undefined, COUNT: Number.NaN }, ["COUNT"]],
  ];
  for (const [input, paths] of wrong) {
    test(`checkInput rejects ${JSON.stringify(input)} at ${paths.join(", ") || "the top level"}`, () => {
      const result = checkInput(specs, input);
      assert.ok(!result.ok);
      assert.deepEqual(new Set(result.issues.map(({ path }) => path)), new Set(paths));
    });
  }

  test("an input with a forbidden key is rejected by the name of that key", () => {
    const result = checkInput(specs, { NAME: "x", ANY: { list: [{ constructor: 1 }] } });
    assert.deepEqual(result, {
      ok: false,
      issues: [{ path: "ANY", message: "ANY must not have the key constructor." }],
    });
  });

  test("an input value keeps the key `prototype`, which is ordinary data", () => {
    const result = checkInput(specs, { NAME: "x", ANY: { prototype: { a: 1 } } });
    assert.ok(result.ok);
    assert.deepEqual(result.values.ANY, { prototype: { a: 1 } });
  });

  test("checkInput rejects deep nesting without running out of stack", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    assert.ok(!checkInput(specs, { NAME: "x", ANY: deep }).ok);
  });

  test("checkInput never throws, and accepts its own result again", () => {
    const keys = fc.constantFrom("NAME", "COUNT", "TAGS", "CASE", "ANY", "PLAN", "x");
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.dictionary(keys, fc.anything())), (input) => {
        const result = checkInput(specs, input);
        if (result.ok) assert.deepEqual(checkInput(specs, result.values), result);
      }),
    );
  });
});
