import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { programOf, protocol, replaced } from "../../test/support/support-chat.ts";
import { checkInput } from "./check-input.ts";

const declared = `input:
  NAME: { type: string }
  COUNT: { type: integer, default: 3 }
  TAGS: { type: "string[]", optional: true }
  CASE: { type: Ticket, optional: true }
  ANY: { type: unknown, optional: true }
`;
const { input: specs } = programOf({ protocol: replaced(protocol, "input:\n", declared) });

test("checkInput fills in defaults and omits absent optional values", () => {
  const result = checkInput(specs, { NAME: "Ada" });
  assert.deepEqual(result, { ok: true, values: { NAME: "Ada", COUNT: 3, COMPANY: "Acme" } });
});

test("an undeclared name is refused with the closest declared name, or dropped if the caller allows it", () => {
  const input = { NAME: "Ada", COMPNY: "Muster", tags: [], zzz: 1 };
  const refused = checkInput(specs, input);
  assert.ok(!refused.ok);
  assert.deepEqual(refused.issues, [
    { path: "COMPNY", message: "COMPNY is not declared. Did you mean COMPANY?" },
    { path: "tags", message: "tags is not declared. Did you mean TAGS?" },
    { path: "zzz", message: "zzz is not declared. Declared are NAME, COUNT, TAGS, CASE, ANY, COMPANY, …" },
  ]);
  const dropped = checkInput(specs, input, { undeclared: "drop" });
  assert.deepEqual(dropped, { ok: true, values: { NAME: "Ada", COUNT: 3, COMPANY: "Acme" } });
});

test("a missing value whose name was misspelt is reported once, with the name that was sent", () => {
  for (const undeclared of ["refuse", "drop"] as const) {
    assert.deepEqual(checkInput(specs, { NMAE: "Ada" }, { undeclared }), {
      ok: false,
      issues: [{ path: "NAME", message: "NAME is required. Rename NMAE, which is not declared." }],
    });
  }
});

test("an input of many undeclared names is refused at once, with a bounded list of short messages", () => {
  const input = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`NAME_${index}`, index]));
  const result = checkInput(specs, { ...input, ["x".repeat(100_000)]: 1 });
  assert.ok(!result.ok);
  assert.ok(result.issues.length <= 50);
  assert.ok(JSON.stringify(checkInput(specs, { NAME: "", ["y".repeat(100_000)]: 1 })).length < 2_000);
});

test("null counts as absent for an optional value and is invalid for a required one", () => {
  assert.ok(checkInput(specs, { NAME: "x", TAGS: null }).ok);
  assert.ok(!checkInput(specs, { NAME: null }).ok);
});

test("an undeclared name is refused where nothing is declared", () => {
  assert.deepEqual(checkInput({}, { NAME: 1 }), {
    ok: false,
    issues: [{ path: "NAME", message: "NAME is not declared. No input is declared." }],
  });
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
