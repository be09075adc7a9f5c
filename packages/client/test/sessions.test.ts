import assert from "node:assert/strict";
import { type Muster as Client, Muster, MusterError, type StreamEvent } from "@muster/client";
import { readExample } from "@muster/local/testing/example";
import { startTestServer } from "@muster/local/testing/server";
import { collect, failureOf } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";

describe("a session", () => {
  const scope = suiteScope();
  let muster: Client;
  beforeAll(async () => {
    const { client, url, key } = await startTestServer(scope);
    await client.json(201, "POST", "/api/agents", await readExample("support-chat"));
    muster = new Muster({ baseUrl: url, apiKey: key });
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
});
