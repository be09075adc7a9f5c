import assert from "node:assert/strict";
import { test } from "vitest";
import { conditionLines, conditionsIn } from "./conditions.ts";

test("conditions survive their lines, also with an equals sign in a value", () => {
  const conditions = [
    { claim: "repository", equals: ["acme/app", "acme/site"] },
    { claim: "sub", startsWith: "repo:acme/" },
    { claim: "groups", equals: ["cn=staff"] },
  ];
  assert.deepEqual(conditionsIn(conditionLines(conditions)), conditions);
});

test("a line that is no condition is sent as its claim, so that the server refuses it", () => {
  assert.deepEqual(conditionsIn("\n repository \n"), [{ claim: "repository" }]);
});
