import assert from "node:assert/strict";
import { test } from "vitest";
import { conditionLines, conditionsIn } from "./conditions.ts";

test("conditions survive their lines, also with their signs in a value", () => {
  const conditions = [
    { claim: "repository", equals: ["acme/app", "acme/site"] },
    { claim: "sub", startsWith: "repo:acme/" },
    { claim: "groups", equals: ["cn=staff"] },
    { claim: "sub", equals: ["auth0|5f7c8e", "auth0|5f7c8f"] },
  ];
  assert.deepEqual(conditionsIn(conditionLines(conditions)), conditions);
});

test("a line without a condition is sent as its claim, so that the server refuses it", () => {
  assert.deepEqual(conditionsIn("\n repository \n"), [{ claim: "repository" }]);
});
