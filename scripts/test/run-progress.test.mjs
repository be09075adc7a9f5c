import assert from "node:assert/strict";
import { test } from "vitest";
import { RunProgress } from "./run-progress.mjs";

test("a report that arrives after its file's end keeps no file running", () => {
  const progress = new RunProgress({ stallMs: 0, runMs: 60_000 });
  progress.note({ kind: "started", files: 2 });
  progress.note({ kind: "progress", file: "a.test.ts" });
  progress.note({ kind: "ended", file: "a.test.ts", ok: true });
  progress.note({ kind: "result", file: "a.test.ts", state: "passed" });
  assert.equal(progress.line(), "tests: 1 of 2 files in 0 s");
  assert.equal(progress.hangs(), false);
});
