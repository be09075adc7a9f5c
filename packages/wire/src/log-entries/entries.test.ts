import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "vitest";
import { checkEntry } from "./check-entry.ts";
import { entrySchemas } from "./index.ts";

const page = await readFile(new URL("../../../../docs/logs.md", import.meta.url), "utf8");

/** The fields that the page describes once for all entries. */
const shared = [
  ...["type", "id", "sequence", "timestamp", "executionId", "thread", "blockName", "workerId", "shortened"],
];

test("the example of every entry satisfies its schema, and an unknown field does not", () => {
  for (const schema of Object.values(entrySchemas)) {
    const examples = "examples" in schema && Array.isArray(schema.examples) ? schema.examples : [];
    assert.equal(examples.length, 1);
    for (const example of examples) {
      checkEntry(example);
      assert.throws(() => checkEntry({ ...example, surprise: true }), /surprise|differs/);
    }
  }
});

test("an entry of an undocumented type is refused", () => {
  for (const value of [{ type: "constructor" }, { type: "guess" }, "trigger", null]) {
    assert.throws(() => checkEntry(value), /not an entry/);
  }
});

test("docs/logs.md has exactly one row for every entry, with the fields and the description of its schema", () => {
  const rows = page.split("\n").filter((line) => /^\| `[a-z-]+` \|/.test(line));
  const expected = Object.entries(entrySchemas).map(([type, schema]) => {
    const { properties, required } = schema;
    const needed: readonly string[] = required;
    const names = Object.keys(properties).filter((name) => !shared.includes(name));
    const fields = names.map((name) => (needed.includes(name) ? name : `${name}?`)).join(", ");
    return `| \`${type}\` | ${fields} | ${"description" in schema ? String(schema.description) : ""} |`;
  });
  assert.deepEqual(rows.sort(), expected.sort());
});
