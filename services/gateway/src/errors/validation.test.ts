import assert from "node:assert/strict";
import { Compile } from "typebox/compile";
import { describe, test } from "vitest";
import { createSessionBody, updateSessionBody } from "../schemas/sessions.ts";
import { issuesOf } from "./validation.ts";

const cases: [string, object, string[]][] = [
  ["a number", { a: 5 }, ["metadata.a must be string"]],
  ["a list", { a: [1], good: "x" }, ["metadata.a must be string"]],
  ["a long text", { a: "x".repeat(513) }, ["metadata.a must not have more than 512 characters"]],
  ["two wrong values", { a: 5, b: null }, ["metadata.a must be string", "metadata.b must be string"]],
  [
    "too many keys",
    Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "x"])),
    ["metadata must not have more than 16 properties"],
  ],
];

/** As Fastify reports it. */
function reasonsFor(schema: typeof createSessionBody | typeof updateSessionBody, body: object): string[] {
  const validation = Compile(schema).Errors(body);
  return issuesOf({ validation, validationContext: "body" }).map(({ path, message }) => `${path} ${message}`);
}

describe("metadata that is refused", () => {
  for (const [what, metadata, reasons] of cases) {
    test(`metadata with ${what} has one reason for each problem`, () => {
      assert.deepEqual(reasonsFor(createSessionBody, { agentId: "agt_1", metadata }), reasons);
    });
  }

  test("a change of metadata has one reason for each problem", () => {
    assert.deepEqual(reasonsFor(updateSessionBody, { metadata: { a: 5, b: null } }), [
      "metadata.a must be string or null",
    ]);
  });
});
