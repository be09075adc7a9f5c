import assert from "node:assert/strict";
import { test } from "vitest";
import { readApprovalRules } from "./approval-rules.ts";
import { readRpcError } from "./errors.ts";
import { Issues } from "./issues.ts";

function read(rules: Record<string, string>) {
  const issues = new Issues();
  const read = readApprovalRules(issues, "approvals", rules);
  try {
    issues.refuse();
  } catch (error) {
    return readRpcError(error).issues.map(({ path }) => path);
  }
  return read;
}

test("rules name a tool, a namespace or a pattern, and ask or deny", () => {
  const rules = { refund: "ask", "shell__*": "deny", "*": "ask", "a-1": "deny", ["x".repeat(128)]: "ask" };
  assert.deepEqual(read(rules), rules);
  const most = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`tool${index}`, "ask"]));
  assert.deepEqual(read(most), most);
  assert.deepEqual(read({}), {});
});

test("each rule with a wrong name or demand is refused by its path, and so are more than 100", () => {
  for (const name of ["", "a b", "a.b", "$where", "naïve", "x".repeat(129)])
    assert.deepEqual(read({ ok: "ask", [name]: "deny" }), [`approvals.${name}`], name);
  for (const demand of ["", "allow", "ASK", "toString"])
    assert.deepEqual(read({ refund: demand }), ["approvals.refund"], demand);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`tool${index}`, "ask"]));
  assert.deepEqual(read(many), ["approvals"]);
});
