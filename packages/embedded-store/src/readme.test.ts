import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "vitest";
import { commandRegistry } from "./commands/registry.ts";
import { logicalOperators, nestingOperators } from "./query/parse.ts";
import { predicates } from "./query/predicates.ts";
import { optionParsers } from "./storage/index-spec.ts";
import { updateOperators } from "./update/parse.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

/** The names in the row of the README's table that begins with `area`. */
function documented(area: string): string[] {
  const row = readme.split("\n").find((line) => line.startsWith(`| ${area} |`)) ?? "";
  return Array.from(row.matchAll(/`([^`]+)`/g), ([, name = ""]) => name).sort();
}

const registered: Record<string, Iterable<string>> = {
  Commands: commandRegistry.keys(),
  "Query operators": Object.keys({ ...predicates, ...nestingOperators, ...logicalOperators }),
  "Update operators": Object.keys(updateOperators),
  "Index options": Object.keys(optionParsers),
};
for (const [area, names] of Object.entries(registered)) {
  test(`${area}: the code and the README's table list the same names`, () => {
    assert.deepEqual(documented(area), [...names].sort());
  });
}
