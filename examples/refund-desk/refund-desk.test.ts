import assert from "node:assert/strict";
import { join } from "node:path";
import { startExample, startProgram } from "@muster/example-testing";
import { until } from "@muster/testing";
import { test } from "vitest";

const model = { MODEL: "anthropic/claude-sonnet-4-5" };
const refund = (amount: number) => ({
  parts: [{ toolCall: { id: `toolu_${amount}`, name: "refund", arguments: { orderId: "1042", amount } } }],
});
const says = (text: string) => ({ parts: [{ text }] });

test("a small refund is paid at once, and a large one once a manager has approved it, while no client waits", async (t) => {
  let output = () => "";
  const steps = [refund(40), says("Paid."), refund(500), says("Approved and paid.")];
  const { client, session, trigger } = await startExample(
    ...([t, import.meta.dirname, steps, { TOOL_ALLOWED_HOSTS: "127.0.0.1" }] as const),
    async (admin) => {
      const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
      const env = { REFUND_SECRET: secret, PORT: "0" };
      const service = await startProgram(t, join(import.meta.dirname, "service.mjs"), env);
      output = service.output;
      const host = /127\.0\.0\.1:\d+/.exec(await service.printed(/Refunds at .*refunds/))?.[0] ?? "";
      await admin.json(200, "PATCH", "/api/admin/projects/default", { toolHosts: [host] });
      await admin.json(200, "PUT", `/api/admin/projects/default/tool-secrets/${host}`, { secret });
      return { "127.0.0.1:4100": host };
    },
  );
  const ask = async (text: string) => {
    const sessionId = await session(model);
    const input = { USER_MESSAGE: text };
    return { sessionId, events: await trigger(sessionId, { triggerName: "user-message", input }) };
  };
  const small = await ask("40 back for order 1042, please.");
  assert.equal(small.events.at(-1)?.finishReason, "stop");
  assert.match(output(), /Paid 40 euros back for order 1042\./);
  const large = await ask("500 back for order 1042, please.");
  assert.equal(large.events.at(-1)?.finishReason, "other");
  assert.doesNotMatch(output(), /Paid 500/);
  const { approvals } = await client.json(200, "GET", "/api/approvals?status=pending");
  assert.ok(Array.isArray(approvals));
  assert.deepEqual(
    approvals.map(({ title }: { title: string }) => title),
    ["Refund 500 euros for order 1042"],
  );
  await client.json(200, "POST", `/api/approvals/${approvals[0].approvalId}`, { decision: "approve" });
  await until("the session has the answer", async () =>
    JSON.stringify(await client.json(200, "GET", `/api/agent-sessions/${large.sessionId}`)).includes(
      "Approved and paid.",
    ),
  );
  assert.match(output(), /Paid 500 euros back for order 1042\./);
});
