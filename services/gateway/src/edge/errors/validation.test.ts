import assert from "node:assert/strict";
import type { TSchema } from "@muster/wire/schema";
import { Compile } from "typebox/compile";
import { describe, test } from "vitest";
import {
  createSessionBody,
  cursorHeaders,
  cursorQuery,
  sessionQuery,
  triggerBody,
  updateSessionBody,
} from "../../schemas/sessions.ts";
import { issuesOf } from "./validation.ts";

const cases: [string, object, string[]][] = [
  ["a number", { a: 5 }, ["metadata.a must be a string"]],
  ["a list", { a: [1], good: "x" }, ["metadata.a must be a string"]],
  ["a long text", { a: "x".repeat(513) }, ["metadata.a must not have more than 512 characters"]],
  ["two wrong values", { a: 5, b: null }, ["metadata.a must be a string", "metadata.b must be a string"]],
  [
    "too many keys",
    Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "x"])),
    ["metadata must not have more than 16 properties"],
  ],
];

/** The reasons as Fastify reports them. */
function reasonsFor(schema: TSchema, value: object, validationContext = "body"): string[] {
  const validation = Compile(schema).Errors(value);
  return issuesOf({ validation, validationContext }).map(({ path, message }) => `${path} ${message}`);
}

describe("a refused field says what is allowed and not which pattern it fails", () => {
  test("numbers of a query and a header", () => {
    const rule = "must be the number of an event, such as 12, or 0";
    for (const value of ["-1", "1.5", "", "1e3", "9".repeat(10)]) {
      assert.deepEqual(reasonsFor(cursorQuery, { after: value }, "querystring"), [`query.after ${rule}`]);
      const header = { "last-event-id": value };
      assert.deepEqual(reasonsFor(cursorHeaders, header, "headers"), [`headers.last-event-id ${rule}`]);
    }
    assert.deepEqual(reasonsFor(sessionQuery, { limit: "0" }, "querystring"), [
      "query.limit must be a number from 1 to 1000",
    ]);
  });

  test("a parameter of a query that is given more than once", () => {
    assert.deepEqual(reasonsFor(sessionQuery, { limit: ["1", "2"] }, "querystring"), [
      "query.limit must be given only once",
    ]);
    assert.deepEqual(reasonsFor(cursorQuery, { after: ["1", "2"] }, "querystring"), [
      "query.after must be given only once",
    ]);
  });

  test("types, as a sentence names them", () => {
    const body = { triggerName: 5, input: [], toolResults: {}, usage: "yes" };
    assert.deepEqual(reasonsFor(triggerBody, body).sort(), [
      "input must be an object",
      "toolResults must be an array",
      "triggerName must be a string",
      "usage must be true or false",
    ]);
    assert.deepEqual(reasonsFor(sessionQuery, { format: "other" }, "querystring"), [
      "query.format must be ui",
    ]);
  });

  test("names of tools, and the error of a result", () => {
    const tool = { name: "get order", description: "", inputSchema: {} };
    const body = {
      triggerName: "go",
      dynamicToolSchemas: [tool],
      toolResults: [{ toolCallId: "c1", error: "" }],
    };
    assert.deepEqual(reasonsFor(triggerBody, body), [
      "toolResults.0.error must not be empty",
      "dynamicToolSchemas.0.name must have 1 to 64 letters, digits, underscores or hyphens",
    ]);
  });
});

describe("metadata that is refused", () => {
  for (const [what, metadata, reasons] of cases) {
    test(`metadata with ${what} has one reason for each problem`, () => {
      assert.deepEqual(reasonsFor(createSessionBody, { agentId: "agt_1", metadata }), reasons);
    });
  }

  test("a change of metadata has one reason for each problem", () => {
    assert.deepEqual(reasonsFor(updateSessionBody, { metadata: { a: 5, b: null } }), [
      "metadata.a must be a string or null",
    ]);
  });
});
