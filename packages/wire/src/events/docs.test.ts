import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "vitest";
import { eventSchemas, threadEventSchemas } from "./index.ts";

const page = await readFile(new URL("../../../../docs/events.md", import.meta.url), "utf8");

/** The fields of every event inside a turn; the page describes them once. */
const shared = ["thread", "workerId"];

test("docs/events.md has exactly one row for every event, with the fields and the description of its schema", () => {
  const rows = page.split("\n").filter((line) => /^\| `[a-z-]+` \|/.test(line));
  const expected = Object.entries({ ...eventSchemas, ...threadEventSchemas }).map(([type, schema]) => {
    const { properties, required } = schema;
    const isInner = shared.every((name) => name in properties) && !type.startsWith("worker-");
    const names = Object.keys(properties).filter(
      (name) => name !== "type" && !(isInner && shared.includes(name)),
    );
    const needed: readonly string[] = required;
    const fields = names.map((name) => (needed.includes(name) ? name : `${name}?`)).join(", ");
    return `| \`${type}\` | ${fields} | ${"description" in schema ? String(schema.description) : ""} |`;
  });
  assert.deepEqual(rows.sort(), expected.sort());
});
