import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { test } from "vitest";
import { readDocument } from "../support/openapi/document.ts";
import { startTestServer } from "../support/server.ts";

test("the document is valid OpenAPI 3.1, and every reference in it leads to a component", async (t) => {
  const { client } = await startTestServer(t);
  const document = await readDocument(client);
  assert.equal(document.openapi, "3.1.0");
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors, null, 2));
  const text = JSON.stringify(document);
  for (const [, pointer = ""] of text.matchAll(/"#\/([^"]+)"/g)) {
    let target: unknown = document;
    for (const name of pointer.split("/")) {
      target = typeof target === "object" && target !== null ? Reflect.get(target, name) : undefined;
    }
    assert.ok(target !== undefined, `#/${pointer} does not exist`);
  }
});
