import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { operations, refusedWithout } from "./support/effects.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/operations.md"), "utf8");
const shownAs: Record<string, string> = { "embedded-store": "MongoDB", "nats-server": "NATS" };

test("the table of outages in the documentation is the one that is tested", () => {
  const rows = page
    .split("\n")
    .filter((line) => /\| (503|yes|mint a token) \|/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const expected = Object.entries(refusedWithout).map(([part, refused]) => [
    shownAs[part] ?? part,
    ...operations.map((name) => (refused.includes(name) ? "503" : "yes")),
  ]);
  const header = ["without", ...operations];
  assert.deepEqual(rows.toSorted(), [header, ...expected].toSorted());
});
