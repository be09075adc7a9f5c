import assert from "node:assert/strict";
import { type Muster as Client, Muster, MusterError, type StreamEvent, systemClock } from "@muster/client";
import { readExample } from "@muster/local/testing/example";
import { startTestServer } from "@muster/local/testing/server";
import { collect, failureOf } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";

/** Asks before each refund. */
const refundDesk = {
  settings: { slug: "refund-desk", name: "Refund desk", format: "interactive" as const },
  protocol: `
tools:
  refund:
    description: Refunds an order.
    parameters:
      amount: { type: number }
    approval: { ask: true }
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
      input: { amount: AMOUNT }
`,
  prompts: [],
};

describe("the client and a server", () => {
  const scope = suiteScope();
  let baseUrl = "";
  let muster: Client;
  beforeAll(async () => {
    const { url, key } = await startTestServer(scope);
    baseUrl = url;
    muster = new Muster({ baseUrl, apiKey: key });
    const supportChat = await readExample("support-chat");
    for (const definition of [supportChat, await readExample("document-reader"), refundDesk])
      await muster.agents.push(definition);
  });

  const say = (text: string) => ({ USER_MESSAGE: text });
  const tools = {
    "get-order": ({ orderNumber }: { orderNumber?: unknown }) => ({ orderNumber, status: "shipped" }),
  };

  test("a start creates a session, executes the tools of the turn, and returns its whole text", async () => {
    const turn = muster.sessions.start(
      {
        agentSlug: "support-chat",
        trigger: { triggerName: "user-message", input: say("Please use get-order.") },
      },
      { tools },
    );
    const result = await turn.result();
    const session = await muster.sessions.open(result.sessionId ?? "").get();
    assert.ok(session.status === "active");
    const reply = session.messages.at(-1);
    assert.equal(reply?.content, result.text);
    assert.match(result.text, /Calling get-order\..*returned/s);
    assert.deepEqual([reply.id, "stop"], [result.messageId, result.finishReason]);
  });

  test("a call without a handler ends the reading, and its results continue the turn", async () => {
    const session = await muster.sessions.create({ agentSlug: "support-chat" });
    const turn = session.trigger("user-message", say("Please use get-order."));
    const events: StreamEvent[] = await collect(turn);
    assert.deepEqual(events.filter(({ type }) => type === "tool-request").length, 1);
    const paused = await turn.result();
    const [call] = paused.toolCalls;
    assert.ok(call);
    const results = [{ toolCallId: call.toolCallId, error: "The shop is closed." }];
    const result = await session.continue(paused.executionId, results).result();
    assert.deepEqual([result.executionId, result.toolCalls], [paused.executionId, []]);
    assert.match(result.text, /The shop is closed/);
    const replayed = await collect(session.attach({ executionId: paused.executionId, after: 2 }));
    assert.equal(replayed.at(-1)?.type, "finish");
  });

  test("a refused request rejects with an error with its status, its code and the id of the request", async () => {
    const error = await failureOf(muster.sessions.open("ses_unknown").get());
    assert.ok(error instanceof MusterError);
    assert.deepEqual([error.status, error.code, error.name], [404, "NOT_FOUND", "MusterError"]);
    assert.match(error.requestId ?? "", /^req_/);
    const refused = await failureOf(
      muster.sessions.start({ agentSlug: "other", trigger: { triggerName: "x" } }).text(),
    );
    assert.ok(refused instanceof MusterError && refused.code === "NOT_FOUND");
  });

  test("a handler decides about calls that wait, and the turn is read to its end", async () => {
    const session = await muster.sessions.create({ agentSlug: "refund-desk" });
    const asked: string[] = [];
    const amounts: unknown[] = [];
    const turn = session.trigger(
      "refund",
      { AMOUNT: 500 },
      {
        tools: { refund: ({ amount }) => amounts.push(amount) },
        onApproval: ({ toolName }) => {
          asked.push(toolName);
          return { decision: "approve", args: { amount: 50 } };
        },
      },
    );
    const { finishReason, approvals } = await turn.result();
    assert.deepEqual([finishReason, approvals, asked, amounts], ["stop", [], ["refund"], [50]]);
  });

  test("without such a handler the reading ends, and another reader follows the turn through the decision", async () => {
    const session = await muster.sessions.create({ agentSlug: "refund-desk" });
    const turn = session.trigger("refund", { AMOUNT: 7 });
    const { approvals, executionId } = await turn.result();
    const listed = await muster.approvals.list({ sessionId: session.id, status: "pending" });
    assert.deepEqual(
      listed.approvals.map(({ approvalId }) => approvalId),
      approvals.map(({ approvalId }) => approvalId),
    );
    const attached = session.attach({ executionId, after: turn.after }).result();
    for (const _ of "twice")
      await muster.approvals.decide(approvals[0]?.approvalId ?? "", { decision: "deny" });
    assert.equal((await attached).finishReason, "stop");
  });

  test("uploaded files reach the agent, and their progress is that of all bytes", async () => {
    const session = await muster.sessions.create({ agentSlug: "document-reader" });
    const progress: number[] = [];
    const files = await session.upload(
      [
        { filename: "a.txt", mediaType: "text/plain", data: new TextEncoder().encode("twelve bytes") },
        new File(["{}"], "b.json", { type: "application/json" }),
      ],
      { onProgress: (sent, total) => progress.push(sent / total) },
    );
    assert.deepEqual(
      files.map(({ filename, size }) => [filename, size]),
      [
        ["a.txt", 12],
        ["b.json", 2],
      ],
    );
    assert.equal(progress.at(-1), 1);
    const text = await session.trigger("user-message", { QUESTION: "Read.", DOCUMENTS: files }).text();
    assert.match(text, /file a\.txt, text\/plain, 12 bytes/);
  });

  test("a token is asked for once, is replaced after it was rejected, and before it expires", async () => {
    const session = await muster.sessions.create({ agentSlug: "support-chat" });
    const { id: agentId } = await muster.agents.get("support-chat");
    let now = Date.now();
    const clock = { ...systemClock, date: () => now };
    const minted: string[] = [];
    const getToken = async () => {
      const token = await muster.tokens.mint({ agentId, sessionId: session.id, ttlSeconds: 900 });
      minted.push(token.jti);
      return token;
    };
    const inBrowser = new Muster({ baseUrl, getToken, clock }).sessions.open(session.id);
    await Promise.all([inBrowser.get(), inBrowser.get()]);
    assert.equal(minted.length, 1);
    await muster.tokens.revoke({ jti: minted[0] ?? "" });
    await Promise.all([inBrowser.trigger("user-message", say("Hello")).text(), inBrowser.get()]);
    assert.equal(minted.length, 2);
    now += 880_000;
    await inBrowser.get();
    assert.equal(minted.length, 3);
    const error = await failureOf(new Muster({ baseUrl, token: "svc_et_x" }).sessions.list());
    assert.ok(error instanceof MusterError && error.code === "UNAUTHENTICATED");
  });
});
