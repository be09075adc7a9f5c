import assert from "node:assert/strict";
import type { Diagnostic, DiagnosticCode, Severity } from "@muster/language";
import { Reason, readRpcError, rpcError } from "@muster/rpc";
import fc from "fast-check";
import { test } from "vitest";
import { toIssues } from "./issues.ts";

const diagnostic = fc
  .tuple(
    fc.constantFrom<DiagnosticCode>("UNKNOWN_KEY", "DEPRECATED_FIELD"),
    fc.string({ maxLength: 300 }),
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.constantFrom<Severity>("error", "warning", "info"),
  )
  .map(([code, path, message, severity]): Diagnostic => ({ code, path, message, severity }));
const diagnostics = fc.array(diagnostic, { maxLength: 200, size: "max" });

const isError = ({ severity }: { severity?: string }) => severity === "error";

test("the issues of a definition arrive complete in the failure of a create", () => {
  fc.assert(
    fc.property(diagnostics, (all) => {
      const issues = toIssues([...all, { code: "WRONG_TYPE", path: "x", message: "x", severity: "error" }]);
      const failure = rpcError(Reason.INVALID_DEFINITION, "The definition has errors.", { issues });
      assert.equal(readRpcError(failure).issues.length, issues.length);
    }),
    { numRuns: 50 },
  );
});

test("truncated issues keep their order and at least one error, and omitted issues are counted", () => {
  fc.assert(
    fc.property(diagnostics, (some) => {
      const all = some.map((each, index) => ({ ...each, path: `${index}.${each.path}` }));
      const issues = toIssues(all);
      assert.equal(issues.some(isError), all.some(isError));
      const left = /^There are at least (\d+) more issues/.exec(issues.at(-1)?.message ?? "")?.[1];
      const kept = left === undefined ? issues : issues.slice(0, -1);
      assert.equal(kept.length + Number(left ?? 0), all.length);
      const remaining = new Set(kept.map((issue) => JSON.stringify(issue)));
      assert.deepEqual(
        all.filter((issue) => remaining.has(JSON.stringify(issue))),
        kept,
      );
    }),
    { numRuns: 50 },
  );
});

test("truncation drops warnings before errors, and warnings alone are not truncated", () => {
  const line = (severity: "error" | "warning", index: number): Diagnostic => ({
    ...{ code: "UNKNOWN_KEY", path: `p${index}`, message: "x".repeat(500), severity },
  });
  const mixed = Array.from({ length: 60 }, (_, index) => line(index % 2 === 0 ? "warning" : "error", index));
  const issues = toIssues(mixed);
  assert.ok(issues.length < mixed.length);
  assert.equal(issues.slice(0, -1).filter(isError).length, 30);
  const warnings = mixed.map((_, index) => line("warning", index));
  assert.deepEqual(toIssues(warnings), warnings);
});
