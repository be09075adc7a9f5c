import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { nameTools, toolName } from "./tool-names.ts";

test("every tool has the same name at all times, which models accept", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 30 }),
      fc.string({ maxLength: 200 }),
      (namespace, tool) => {
        assert.match(toolName(namespace, tool), /^[A-Za-z0-9_-]{1,64}$/);
        assert.equal(toolName(namespace, tool), toolName(namespace, tool));
      },
    ),
  );
  assert.equal(toolName("github", "create_issue"), "github__create_issue");
  assert.equal(toolName("github", "repos/issues.create"), "github__repos_issues_create");
  const long = "x".repeat(100);
  assert.match(toolName("github", `${long}1`), /^github__x+_[0-9a-f]{8}$/);
  assert.notEqual(toolName("github", `${long}1`), toolName("github", `${long}2`));
});

test("tools that would have the same name are refused by both names, and the others are offered", () => {
  const tools = [
    { namespace: "a", name: "b.c" },
    { namespace: "a", name: "b/c" },
    { namespace: "a", name: "other" },
    { namespace: "a__b", name: "c" },
    { namespace: "a", name: "b__c" },
  ];
  for (const order of [tools, tools.toReversed()]) {
    const { byName, problems } = nameTools(order);
    assert.deepEqual([...byName], [["a__other", tools[2]]]);
    assert.deepEqual(problems.sort(), [
      "The tool b.c of a and the tool b/c of a would all be named a__b_c, so none of them is offered.",
      "The tool b__c of a and the tool c of a__b would all be named a__b__c, so none of them is offered.",
    ]);
  }
});
