import assert from "node:assert/strict";
import { systemClock } from "@muster/service";
import { record, StreamReader, serve, TestClient, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { decideApprovalExample } from "../../../services/gateway/src/schemas/examples.ts";
import { startTestServer } from "./support/server.ts";

/** Refunds above 100 wait for a decision. */
const refundDesk = {
  settings: { slug: "refund-desk", name: "Refund desk", format: "interactive" },
  protocol: `
tools:
  refund:
    description: Refunds an order.
    parameters:
      orderId: { type: string }
      amount: { type: number }
    approval:
      ask: { properties: { amount: { exclusiveMinimum: 100 } } }
      title: "Refund {{amount}} for {{orderId}}"
triggers:
  refund:
    input:
      AMOUNT: { type: number }
agent:
  model: demo/echo
  tools: [refund]
handlers:
  refund:
    Refund:
      block: tool-call
      tool: refund
      input: { orderId: "1042", amount: AMOUNT }
`,
  prompts: [],
};

describe("an approval over HTTP", () => {
  const scope = suiteScope();
  let url = "";
  let client: TestClient;
  let agentId = "";
  let passedMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
  const settings = { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" };
  beforeAll(async () => {
    ({ url, client } = await startTestServer(scope, settings, { clock, heartbeatMs: 50 }));
    agentId = await client.field("agentId", 201, "POST", "/api/agents", refundDesk);
  });

  /** A turn that asks for the decision about a refund of 500. */
  async function ask(amount = 500) {
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    const sender = { id: "u_7", name: "Ada" };
    const body = { triggerName: "refund", input: { AMOUNT: amount }, sender, stream: false };
    const turn = await client.json(200, "POST", `/api/agent-sessions/${sessionId}/trigger`, body);
    const approvals = Array.isArray(turn.approvals) ? turn.approvals.map(record) : [];
    const approvalId = String(approvals[0]?.approvalId);
    return { sessionId, turn, approvalId, path: `/api/approvals/${approvalId}` };
  }

  function open(sessionId: string, executionId: unknown): Promise<Response> {
    return client.request("GET", `/api/agent-sessions/${sessionId}/executions/${executionId}/events`);
  }

  /** The text of a followed turn, which ends when the turn has. */
  async function follow(sessionId: string, executionId: unknown): Promise<string> {
    return (await open(sessionId, executionId)).text();
  }

  test("the audit log has a decision once, with its outcome", async () => {
    const { approvalId, path } = await ask();
    for (const decision of ["deny", "deny"]) await client.json(200, "POST", path, { decision });
    const entriesOf = async () =>
      listOf((await client.json(200, "GET", `/api/admin/audit?target=${approvalId}`)).entries);
    await until("the log has it", async () => (await entriesOf()).length > 0);
    const [entry, ...more] = await entriesOf();
    assert.deepEqual([entry?.action, entry?.outcome, more], ["approval.decide", "denied", []]);
  });

  test("only a call whose arguments match the rule waits, and its followers see it continue once it is approved", async () => {
    const small = await ask(20);
    assert.deepEqual([small.turn.finishReason, small.turn.approvals], ["tool-calls", undefined]);
    const { sessionId, turn, path } = await ask();
    assert.deepEqual([turn.finishReason, turn.toolCalls], ["other", []]);
    const inbox = await client.json(200, "GET", `/api/approvals?status=pending&sessionId=${sessionId}`);
    assert.equal(inbox.nextCursor, null);
    const detail = await client.json(200, "GET", path);
    const { messages, ...listed } = detail;
    assert.deepEqual(inbox.approvals, [listed]);
    assert.partialDeepStrictEqual(listed, {
      ...{ status: "pending", agentId, agentVersion: 1, sessionId, title: "Refund 500 for 1042" },
      ...{ args: { orderId: "1042", amount: 500 }, requester: { id: "u_7", name: "Ada" } },
    });
    assert.ok(Array.isArray(messages));
    const followed = follow(sessionId, turn.executionId);
    const decided = await client.json(200, "POST", path, decideApprovalExample);
    assert.partialDeepStrictEqual(decided, {
      ...{ status: "approved", args: { amount: 500 }, editedArgs: { orderId: "1042", amount: 120 } },
      message: "Agreed with the customer.",
    });
    const events = await followed;
    assert.match(events, /"approval-request".*"tool-request".*"amount":120.*"tool-calls".*\[DONE\]\n\n$/s);
    const toolCallId = String(listed.toolCallId);
    const results = { executionId: turn.executionId, toolResults: [{ toolCallId, result: "ok" }] };
    const trigger = `/api/agent-sessions/${sessionId}/trigger`;
    const end = await client.json(200, "POST", trigger, { ...results, stream: false });
    assert.equal(end.finishReason, "stop");
  });

  test("webhooks learn that it was requested and decided, with its ids and without its arguments", async (t) => {
    const received: Array<Record<string, unknown>> = [];
    const hook = await serve(t, async (request, response) => {
      received.push(record(JSON.parse(Buffer.concat(await request.toArray()).toString())));
      response.writeHead(204).end();
    });
    const events = ["approval.requested", "approval.decided"];
    await client.json(201, "POST", "/api/admin/webhooks", { url: hook, events, agentId });
    const { sessionId, approvalId, path } = await ask();
    // A webhook also receives what happened immediately before it was created.
    const own = () => received.filter(({ data }) => record(data).approvalId === approvalId);
    await until("the request arrives", () => own().length === 1);
    await client.json(200, "POST", path, { decision: "deny", message: "Too much." });
    await until("the decision arrives", () => own().length === 2);
    const data = { projectId: "default", agentId, approvalId, sessionId, toolName: "refund" };
    assert.deepEqual(
      own().map(({ timestamp: _, ...event }) => event),
      [
        { type: "approval.requested", sequence: 1, data: { ...data, status: "pending" } },
        { type: "approval.decided", sequence: 2, data: { ...data, status: "denied" } },
      ],
    );
  });

  test("the same decision again is the stored one, and another one is refused", async () => {
    const { sessionId, turn, path } = await ask();
    const denied = await client.json(200, "POST", path, { decision: "deny", message: "Too much." });
    assert.deepEqual(await client.json(200, "POST", path, { decision: "deny" }), denied);
    const refused = await client.json(409, "POST", path, { decision: "approve" });
    assert.equal(refused.code, "APPROVAL_DECIDED");
    assert.match(await follow(sessionId, turn.executionId), /denied: Too much\./);
  });

  test("edited arguments that the tool refuses, and unknown approvals, change nothing", async () => {
    const { path } = await ask();
    const wrong = { decision: "approve", args: { orderId: 7 } };
    const refused = await client.json(400, "POST", path, wrong);
    assert.equal(refused.code, "INVALID_REQUEST");
    assert.match(JSON.stringify(refused.issues), /"args/);
    await client.json(400, "POST", path, { decision: "maybe" });
    await client.json(404, "POST", "/api/approvals/apr_none", { decision: "deny" });
    assert.equal((await client.json(200, "GET", path)).status, "pending");
  });

  test("a token with approve decides only in its own session", async () => {
    const { sessionId, path } = await ask();
    const other = await ask();
    const minted = { agentId, sessionId, approve: true };
    const holder = new TestClient(url, await client.field("token", 201, "POST", "/api/tokens", minted));
    const plain = { agentId, sessionId };
    const without = new TestClient(url, await client.field("token", 201, "POST", "/api/tokens", plain));
    await without.json(403, "POST", path, { decision: "approve" });
    await holder.json(404, "POST", other.path, { decision: "approve" });
    const { approvals } = await holder.json(200, "GET", "/api/approvals");
    assert.equal(Array.isArray(approvals) && approvals.length, 1);
    assert.equal((await holder.json(200, "POST", path, { decision: "approve" })).status, "approved");
  });

  test("a reader of a turn that waits gets heartbeats, until the call expires and can no longer be decided", async () => {
    const { sessionId, turn, path } = await ask();
    const reader = new StreamReader(await open(sessionId, turn.executionId));
    await reader.readUntil("\n\n: heartbeat\n\n: heartbeat\n\n");
    passedMs += 24 * 3_600_000;
    const late = await client.json(410, "POST", path, { decision: "approve" });
    assert.equal(late.code, "APPROVAL_EXPIRED");
    assert.equal((await client.json(200, "GET", path)).status, "expired");
    assert.match(await reader.readUntil("[DONE]"), /no user approved it in time.*"stop"/s);
  });
});

function listOf(value: unknown): Array<Record<string, unknown>> {
  assert.ok(Array.isArray(value));
  return value.map(record);
}
