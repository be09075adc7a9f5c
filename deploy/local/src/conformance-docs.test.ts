import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const row = /^\| [\d.]+ \| .+ \| `([^`]+)`: (.+) \|$/;

/** The titles of tests and groups in their source form, with their placeholders. */
function titlesIn(path: string): Set<string> {
  const source = readFileSync(resolve(root, path), "utf8");
  const calls = source.matchAll(
    /(?:\b(?:test|describe)|\))\(\s*(?:"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g,
  );
  return new Set([...calls].map(([, plain, template]) => plain ?? template ?? ""));
}

test("every test that docs/conformance.md names exists", () => {
  const page = readFileSync(resolve(root, "docs/conformance.md"), "utf8");
  const lines = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| section "));
  assert.ok(lines.length > 0);
  const missing = lines.filter((line) => {
    const [, path = "", title = ""] = row.exec(line) ?? [];
    return path === "" || !titlesIn(path).has(title);
  });
  assert.deepEqual(missing, []);
});
