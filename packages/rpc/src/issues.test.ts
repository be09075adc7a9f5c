import assert from "node:assert/strict";
import { test } from "vitest";
import { Reason, readRpcError } from "./errors.ts";
import { firstProblems, Issues, invalidRequest } from "./issues.ts";

function refusalOf(issues: Issues) {
  try {
    issues.refuse();
  } catch (error) {
    return readRpcError(error);
  }
  return undefined;
}

test("an invalid request reports its only issue in the message and in the list", () => {
  const { reason, message, issues } = readRpcError(invalidRequest("agentId", "is required"));
  assert.equal(reason, Reason.INVALID_REQUEST);
  assert.equal(message, "The request is invalid: agentId is required.");
  assert.deepEqual(issues, [{ path: "agentId", message: "is required" }]);
});

test("a refused request lists all issues and puts the first three into the message", () => {
  const issues = new Issues();
  for (const name of ["a", "b", "c", "d", "e"]) issues.checkLength(name, "", { min: 1, max: 5 });
  const refusal = refusalOf(issues);
  assert.equal(refusal?.issues.length, 5);
  assert.equal(
    refusal.message,
    "The request is invalid: a is required; b is required; c is required; and 2 more.",
  );
});

test("a refused request shows at most 100 characters of a path in its message", () => {
  const { message } = readRpcError(invalidRequest(`input.${"😀".repeat(500)}.A`, "is required"));
  assert.ok(message.isWellFormed());
  const path = /invalid: (input\..+…[^…]+\.A) is required/.exec(message)?.[1];
  assert.equal(path?.length, 100);
});

test("the first three problems are named in short sentences, and the others are counted", () => {
  assert.equal(firstProblems(["A is wrong.", "B is."]), "A is wrong. B is.");
  const five = firstProblems(["A.", "😀".repeat(500), "C.", "D.", "E."]);
  assert.ok(five.isWellFormed() && five.length < 300);
  assert.match(five, /^A\. .*… C\. And 2 more: see issues\.$/);
});

test("a request without issues is not refused", () => {
  const issues = new Issues();
  issues.checkLength("name", "x", { max: 1 });
  assert.equal(refusalOf(issues), undefined);
});
