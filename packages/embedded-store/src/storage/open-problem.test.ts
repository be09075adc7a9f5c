import assert from "node:assert/strict";
import { test } from "vitest";
import { openProblem } from "./open-problem.ts";

const failure = (fields: object) => Object.assign(new Error("the system's words"), fields);

test("a folder that the user may not write to is reported with the remedy", () => {
  // Tests may run as an administrator, whom no folder refuses.
  for (const fields of [{ code: "EACCES" }, { code: "EPERM" }, { errcode: 14 }, { errcode: 8 | (3 << 8) }]) {
    assert.match(openProblem(failure(fields), "/data"), /^this user cannot write to it; change its owner/);
  }
});

test("an unknown failure keeps its own words", () => {
  assert.equal(openProblem(failure({ code: "EIO" }), "/data"), "the system's words");
  assert.equal(openProblem(failure({ errcode: 10 }), "/data"), "the system's words");
});
