import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { offered, promptOf, requested, resultsFor, startExample } from "@muster/example-testing";
import { record, textOf } from "@muster/testing";
import { test } from "vitest";

const findings = {
  verdict: "request-changes",
  findings: [
    { file: "pay.ts", line: 3, severity: "blocker", guideline: "security", comment: "The key is logged." },
  ],
};
const review = { triggerName: "review", input: { TITLE: "Add payments", DIFF: "+ console.log(key)" } };

test("a review reads guidelines itself and files through the caller, and ends with a list of findings", async (t) => {
  const security = await readFile(join(import.meta.dirname, "references/security.md"), "utf8");
  const example = await startExample(t, import.meta.dirname, [
    {
      check: (request) => {
        const tools = ["platform_reference_list", "platform_reference_read", "read-file", "search-code"];
        assert.deepEqual(offered(request).sort(), tools);
      },
      parts: [{ toolCall: { name: "platform_reference_list", arguments: {} } }],
    },
    {
      check: (request) => assert.match(promptOf(request), /What an attacker would try/),
      parts: [
        {
          toolCalls: [
            { name: "platform_reference_read", arguments: { name: "security" } },
            { name: "read-file", arguments: { path: "pay.ts" } },
          ],
        },
      ],
    },
    {
      check: (request) => {
        assert.ok(security.includes("never logged, not even in error messages"));
        assert.match(promptOf(request), /never logged, not even in error messages[\s\S]*const key/);
      },
      parts: [{ text: "pay.ts:3 logs the key (security). Request changes." }],
    },
    {
      check: (request) => {
        assert.deepEqual(offered(request), []);
        assert.match(promptOf(request), /pay\.ts:3 logs the key/);
        assert.doesNotMatch(promptOf(request), /console\.log/, "the list is based only on the review");
      },
      parts: [{ text: JSON.stringify(findings) }],
    },
  ]);
  const sessionId = await example.session();
  const paused = await example.trigger(sessionId, review);
  assert.deepEqual(
    requested(paused).map(({ toolName }) => toolName),
    ["read-file"],
    "the caller is asked for its own tools only",
  );
  const toolResults = resultsFor(paused, "const key = 1;\n");
  const ended = await example.trigger(sessionId, { ...review, toolResults });
  assert.match(textOf(ended), /pay\.ts:3 logs the key/);
  assert.doesNotMatch(JSON.stringify(ended), /request-changes/, "the list is not part of the chat");
  const session = await example.client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
  assert.deepEqual(record(session.variables).FINDINGS, findings);
});
