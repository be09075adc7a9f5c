import assert from "node:assert/strict";
import { offered, promptOf, requested, resultsFor, startExample } from "@muster/example-testing";
import { record, textOf } from "@muster/testing";
import { test } from "vitest";

const handover = {
  subject: "Order 1042 is late",
  problem: "The customer wants order 1042 by Friday.",
  tried: ["Looked the order up: shipped, no date."],
  orders: ["1042"],
  mood: "worried",
  urgency: "high",
};

test("an escalation opens a ticket with a summary written in a separate thread", async (t) => {
  const example = await startExample(t, import.meta.dirname, [
    {
      check: (request) => assert.deepEqual(offered(request), ["get-order", "search-help"]),
      parts: [{ toolCall: { name: "get-order", arguments: { orderNumber: "1042" } } }],
    },
    { parts: [{ text: "It has been shipped; I have no date." }] },
    {
      check: (request) => {
        assert.match(String(request.body.model), /haiku/);
        assert.deepEqual(offered(request), []);
        assert.match(promptOf(request), /You write handovers/);
        assert.match(promptOf(request), /Where is order 1042\?[\s\S]*I have no date/);
        assert.match(promptOf(request), /Reason for the handover: The customer asked for a person\./);
      },
      parts: [{ text: JSON.stringify(handover) }],
    },
    {
      check: (request) => {
        assert.match(promptOf(request), /T-7/);
        assert.doesNotMatch(
          promptOf(request),
          /You write handovers/,
          "the main thread knows nothing of the summary",
        );
      },
      parts: [{ text: "A colleague takes over. Your ticket is T-7." }],
    },
  ]);
  const sessionId = await example.session({ CUSTOMER: { id: "c1", name: "Ada" } });
  const question = { triggerName: "user-message", input: { USER_MESSAGE: "Where is order 1042?" } };
  const asked = await example.trigger(sessionId, question);
  await example.trigger(sessionId, { ...question, toolResults: resultsFor(asked, { status: "shipped" }) });

  const escalation = { triggerName: "escalate" };
  const paused = await example.trigger(sessionId, escalation);
  assert.doesNotMatch(textOf(paused), /Order 1042 is late/, "the summary is not for the customer");
  const [call] = requested(paused);
  assert.equal(call?.toolName, "create-ticket");
  assert.deepEqual(call?.args, { handover, customer: { id: "c1", name: "Ada" } });
  const reported = await example.trigger(sessionId, {
    ...escalation,
    toolResults: resultsFor(paused, { ticket: "T-7" }),
  });
  assert.match(textOf(reported), /Your ticket is T-7/);

  const path = `/api/agent-sessions/${sessionId}`;
  const session = await example.client.json(200, "GET", path);
  assert.deepEqual(record(session.variables).HANDOVER, handover);
  const shown = await example.client.json(200, "GET", `${path}?format=ui`);
  assert.doesNotMatch(JSON.stringify(shown), /has been handed over to the support team|You write handovers/);
});

test("a customer whose ticket cannot be opened is not promised that a human will take over", async (t) => {
  const example = await startExample(t, import.meta.dirname, [
    { parts: [{ text: JSON.stringify(handover) }] },
    {
      check: (request) => {
        assert.match(promptOf(request), /opened no ticket, so nobody knows/);
        assert.doesNotMatch(promptOf(request), /has been handed over|NONE/);
      },
      parts: [{ text: "I am sorry, that did not work." }],
    },
  ]);
  const sessionId = await example.session();
  const paused = await example.trigger(sessionId, { triggerName: "escalate" });
  const toolResults = requested(paused).map(({ toolCallId, toolName }) => ({
    ...{ toolCallId, toolName },
    error: "The ticket system is down.",
  }));
  const ended = await example.trigger(sessionId, { triggerName: "escalate", toolResults });
  assert.match(textOf(ended), /did not work/);
});
