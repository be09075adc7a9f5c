import assert from "node:assert/strict";
import { test } from "vitest";
import { anAgent, aThread } from "../../../test/support/documents.ts";
import { messageCall, resultsCall } from "./session-calls.ts";

test("each call to the session has the agent's rules of approval, and the key that it counts for", () => {
  const approvals = { refund: "ask", "shell__*": "deny" } as const;
  const common = {
    agent: anAgent({ approvals }),
    thread: aThread(),
    driver: { runId: "run_1", epoch: 1 },
    tools: [],
    limits: { agent: {}, project: {} },
    requestId: "req_1",
    keyId: "key_1",
  };
  const message = { id: "msg_1", text: "Go", files: [], at: new Date(0) };
  for (const { run } of [messageCall(common, message), resultsCall(common, [])]) {
    assert.deepEqual(run.approvals, approvals);
    assert.equal(run.keyId, "key_1");
    assert.equal(run.isForeign, false);
  }
  assert.equal(messageCall(common, { ...message, isForeign: true }).run.isForeign, true);
});
