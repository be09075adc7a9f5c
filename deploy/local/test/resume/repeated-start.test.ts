import assert from "node:assert/strict";
import { record, TestClient, temporaryDirectory } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { readExample } from "../support/example.ts";
import { TestProcess } from "../support/process.ts";

const adminKey = "svc_sk_0123456789abcdef0123456789abcdef";

async function startMuster(t: TestContext, directory: string, wordDelayMs: number) {
  const muster = new TestProcess(t, {
    PORT: "0",
    DATA_DIR: directory,
    MUSTER_ADMIN_KEY: adminKey,
    DEMO_WORD_DELAY_MS: String(wordDelayMs),
  });
  const [, url = ""] = await muster.printed(/running at (http:\S+)/);
  return { muster, client: new TestClient(url, adminKey) };
}

test("a start that is repeated after the server was killed in its first turn opens no second session", async (t) => {
  const directory = await temporaryDirectory(t);
  const { muster, client } = await startMuster(t, directory, 50);
  const agentId = await client.field(
    "agentId",
    201,
    "POST",
    "/api/agents",
    await readExample("support-chat"),
  );
  const body = {
    agentId,
    idempotencyKey: "order-7",
    trigger: { triggerName: "user-message", input: { USER_MESSAGE: "word ".repeat(1_000) } },
  };
  const started = await client.request("POST", "/api/agent-sessions/start", body);
  const sessionId = started.headers.get("x-session-id");
  const reader = started.body?.getReader();
  assert.ok(sessionId && !(await reader?.read())?.done);
  muster.child.kill("SIGKILL");
  await assert.rejects(async () => {
    while (!(await reader?.read())?.done);
  });

  const { client: restarted } = await startMuster(t, directory, 0);
  const repeated = await restarted.request("POST", "/api/agent-sessions/start", body);
  assert.equal(repeated.status, 200, await repeated.text());
  assert.equal(repeated.headers.get("x-session-id"), sessionId);
  const { sessions } = await restarted.json(200, "GET", "/api/agent-sessions");
  assert.ok(Array.isArray(sessions));
  assert.deepEqual(
    sessions.map((session) => record(session).sessionId),
    [sessionId],
  );
  const other = { ...body, trigger: { ...body.trigger, usage: true } };
  const refused = await restarted.json(409, "POST", "/api/agent-sessions/start", other);
  assert.equal(refused.code, "IDEMPOTENCY_KEY_REUSED");
  const next = { triggerName: "user-message", input: { USER_MESSAGE: "Still there?" } };
  assert.match(JSON.stringify(await restarted.trigger(sessionId, next)), /Still/);
});
