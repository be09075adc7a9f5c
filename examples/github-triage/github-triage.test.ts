import assert from "node:assert/strict";
import { join } from "node:path";
import { offered, promptOf, startExample, startProgram } from "@muster/example-testing";
import { until } from "@muster/testing";
import { test } from "vitest";

const calls = (id: string, name: string, args: Record<string, unknown>) => ({
  toolCall: { id, name: `github__${name}`, arguments: args },
});

test("issues are listed and labelled through the MCP server, and one is closed only after a decision", async (t) => {
  let output = () => "";
  const steps = [
    {
      check: (request: Parameters<typeof offered>[0]) =>
        assert.deepEqual(
          offered(request),
          ["close_issue", "label_issue", "list_issues"].map((name) => `github__${name}`),
        ),
      parts: [calls("toolu_1", "list_issues", {})],
    },
    {
      check: (request: Parameters<typeof promptOf>[0]) =>
        assert.match(promptOf(request), /text from outside follows[\s\S]*CHEAP WATCHES/),
      parts: [
        calls("toolu_2", "label_issue", { number: 7, label: "bug" }),
        calls("toolu_3", "close_issue", { number: 9 }),
      ],
    },
    { parts: [{ text: "7 is a bug, 9 is closed." }] },
  ];
  const { client, session, trigger } = await startExample(
    ...([t, import.meta.dirname, steps, { MCP_ALLOWED_HOSTS: "127.0.0.1" }] as const),
    async (admin) => {
      const server = await startProgram(t, join(import.meta.dirname, "server.mjs"), { PORT: "0" });
      output = server.output;
      const url = /http\S+/.exec(await server.printed(/at http\S+\n/))?.[0];
      await admin.json(201, "POST", "/api/admin/mcp-servers", { slug: "github", url });
      return {};
    },
  );
  const sessionId = await session({ MODEL: "anthropic/claude-sonnet-4-5" });
  await trigger(sessionId, { triggerName: "user-message", input: { USER_MESSAGE: "Sort the issues." } });
  assert.match(output(), /Labelled 7 as bug\./);
  assert.doesNotMatch(output(), /Closed/);
  const { approvals } = await client.json(200, "GET", "/api/approvals?status=pending");
  assert.ok(Array.isArray(approvals));
  await client.json(200, "POST", `/api/approvals/${approvals[0].approvalId}`, { decision: "approve" });
  await until("the session has the answer", async () =>
    JSON.stringify(await client.json(200, "GET", `/api/agent-sessions/${sessionId}`)).includes("9 is closed"),
  );
  assert.match(output(), /Closed 9\./);
});
