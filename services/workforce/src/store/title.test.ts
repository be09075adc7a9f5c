import assert from "node:assert/strict";
import { test } from "vitest";
import { titleOf } from "./title.ts";

test("a title ends at a word, unless one word fills it", () => {
  assert.equal(titleOf("  Which host\nfailed? "), "Which host failed?");
  assert.equal(titleOf(`${"count ".repeat(20)}`), `${"count ".repeat(12)}count…`);
  assert.equal(titleOf("x".repeat(90)), `${"x".repeat(79)}…`);
});
