import assert from "node:assert/strict";
import { test } from "vitest";
import { near } from "../test/support/diagnostic-near.ts";
import { rows } from "../test/support/diagnostic-rows.ts";
import { compile, protocol, replaced } from "../test/support/support-chat.ts";
import { compileDefinition } from "./compile-definition.ts";
import { type DiagnosticCode, diagnosticCodes } from "./diagnostics.ts";

test("the base definition of these tests has no diagnostics", () => {
  assert.deepEqual(compile().issues, []);
});

for (const [code, { source, path, suggestions, also = [], options }] of Object.entries(rows)) {
  test(`the diagnostic ${code} is reported once, at the right place`, () => {
    const { ok, issues } = compileDefinition(source, options);
    const own = issues.filter((issue) => !also.includes(issue.code));
    assert.deepEqual(
      own.map((issue) => [issue.code, issue.path]),
      [[code, path]],
    );
    assert.deepEqual(own[0]?.suggestions, suggestions);
    assert.equal(ok, own[0]?.severity !== "error");
  });
}

for (const [code, { source, options, also = [] }] of Object.entries(near)) {
  test(`the diagnostic ${code} is not reported for a similar definition that is valid`, () => {
    const { ok, issues } = compileDefinition(source, options);
    assert.deepEqual(
      issues.filter((issue) => !also.includes(issue.code)),
      [],
    );
    assert.ok(ok);
  });
}

test("every diagnostic has the severity in the table", () => {
  for (const { source } of Object.values(rows)) {
    for (const { code, severity } of compileDefinition(source).issues)
      assert.equal(severity, diagnosticCodes[code]);
  }
});

test("one pass reports all diagnostics, each with line and column", () => {
  const broken = protocol
    .replace("agentic: true", "agentik: true")
    .replace("tool: get-account", "tool: get-acount")
    .replace("type: Ticket }", "type: Tickett }");
  const { issues } = compile({ protocol: broken });
  const found = issues.map(({ code, message }): [DiagnosticCode, string] => {
    const [, line, column] = /^Line (\d+), column (\d+): /.exec(message) ?? [];
    const text = broken.split("\n")[Number(line) - 1]?.slice(Number(column) - 1) ?? "";
    return [code, text.slice(0, 7)];
  });
  assert.deepEqual(
    found.filter(([code]) => diagnosticCodes[code] === "error"),
    [
      ["UNKNOWN_TYPE", "Tickett"],
      ["UNKNOWN_KEY", "agentik"],
      ["UNKNOWN_TOOL", "get-aco"],
    ],
  );
});

test("more than two hundred warnings neither reject a definition nor hide its errors", () => {
  const unused = Array.from({ length: 250 }, (_, index) => `  V${index}: { type: string }\n`).join("");
  const text = replaced(protocol, "input:\n", `input:\n${unused}`);
  const { ok, issues } = compile({ protocol: text });
  assert.ok(ok && issues.length === 200 && issues.every(({ severity }) => severity === "warning"));
  assert.match(issues.at(-1)?.message ?? "", /50 more warnings/);
  const blocks = Array.from(
    { length: 250 },
    (_, i) => `    B${i}: { block: next-message, display: title }\n`,
  );
  const wrong = compile({ protocol: `${protocol}${blocks.join("")}    Last: { block: say }\n` });
  assert.deepEqual(
    wrong.issues.filter(({ severity }) => severity === "error").map(({ code }) => code),
    ["UNKNOWN_BLOCK", "LIMIT_EXCEEDED"],
  );
});

test("diagnostics beyond two hundred are counted instead of listed", () => {
  const inputs = Array.from({ length: 400 }, (_, index) => `  V${index}: { type: x }\n`).join("");
  const { issues } = compile({ protocol: replaced(protocol, "input:\n", `input:\n${inputs}`) });
  assert.equal(issues.length, 201);
  assert.match(issues.at(-1)?.message ?? "", /\d+ more/);
});
