import assert from "node:assert/strict";
import { test } from "vitest";
import { listenProblem, startProblem } from "./start-problem.ts";

const at = { host: "127.0.0.1", port: 80, settings: { host: "HOST", port: "PORT" } };

test("a failed start is one line with one full stop, whatever its reason contains", () => {
  assert.equal(startProblem("x", new Error("one\n  two. ")), "x cannot start: one two.\n");
  assert.equal(startProblem("x", "thrown text"), "x cannot start: thrown text.\n");
});

test("a port reserved for administrators is reported with the setting", () => {
  const refused = Object.assign(new Error("listen EACCES"), { code: "EACCES" });
  const problem = listenProblem(refused, at);
  assert.ok(problem instanceof Error);
  assert.equal(problem.message, "PORT 80 is reserved for administrators; choose one from 1024 to 65535");
});

test("the suggested port of the highest one is a free one", () => {
  const taken = Object.assign(new Error("listen EADDRINUSE"), { code: "EADDRINUSE" });
  const problem = listenProblem(taken, { ...at, port: 65_535 });
  assert.match(String(problem), /such as PORT=0$/);
});

test("an unrelated error stays unchanged", () => {
  const bug = new TypeError("a bug");
  assert.equal(listenProblem(bug, at), bug);
});
