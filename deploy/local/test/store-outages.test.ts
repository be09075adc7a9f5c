import assert from "node:assert/strict";
import { join } from "node:path";
import { record, type TestClient, temporaryDirectory, textOf, until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { readExample } from "./support/example.ts";
import { TestProcess } from "./support/process.ts";
import { startTestServer } from "./support/server.ts";

const storeProgram = join(import.meta.dirname, "../../../packages/embedded-store/src/main.ts");
const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });
const parts = ["auth", "agents", "sessions"];

/** Muster with a store in a process of its own, which can be stopped and killed. */
async function startWithStore(t: TestContext, env: Record<string, string>) {
  const directory = await temporaryDirectory(t);
  const store = new TestProcess(t, { EMBEDDED_STORE_DIRECTORY: directory, PORT: "0" }, [storeProgram]);
  const [uri] = await store.printed(/mongodb:\S+/);
  const { client } = await startTestServer(t, { MONGODB_URI: uri, ...env });
  const agentId = await client.field(
    "agentId",
    201,
    "POST",
    "/api/agents",
    await readExample("support-chat"),
  );
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  // The response waits for the workforce's start, which an outage would end.
  await client.json(200, "GET", "/api/admin/workforce/agents");
  return { store, client, sessionId };
}

async function readiness(client: TestClient) {
  const response = await client.request("GET", "/readyz");
  return { status: response.status, body: record(await response.json()) };
}

/** Waits until readiness blames the store, and checks everything that callers see meanwhile. */
async function assertOutage(client: TestClient, sessionId: string): Promise<void> {
  let seen = await readiness(client);
  const blamesStore = async () => {
    seen = await readiness(client);
    return parts.every((part) => record(seen.body.dependencies)[`${part}.store`] === "unreachable");
  };
  await until("readiness blames the store of every service", blamesStore, 60_000);
  const { status, body } = seen;
  assert.deepEqual(
    [status, body.status, record(body.dependencies).sessions],
    [503, "not_ready", "not_ready"],
  );
  assert.doesNotMatch(JSON.stringify(body), /127\.0\.0\.1|mongodb/);
  await client.json(200, "GET", "/healthz");
  for (const [method, path, sent] of [
    ["GET", `/api/agent-sessions/${sessionId}`, undefined],
    ["POST", `/api/agent-sessions/${sessionId}/trigger`, say("Anyone there?")],
  ] as const) {
    const response = await client.request(method, path, sent);
    const { code, error } = record(await response.json());
    assert.deepEqual([response.status, code], [503, "UNAVAILABLE"]);
    assert.equal(error, "The document store does not respond.");
    assert.ok(Number(response.headers.get("retry-after")) >= 1);
  }
}

for (const transport of ["in-process", "grpc"]) {
  test(`a frozen store makes Muster unready and its calls fail with 503 until it responds again, and a killed one the same without ending the process (${transport})`, async (t) => {
    const { store, client, sessionId } = await startWithStore(t, { MUSTER_TRANSPORT: transport });
    await until("Muster is ready", async () => (await readiness(client)).status === 200);
    store.child.kill("SIGSTOP");
    await assertOutage(client, sessionId);
    store.child.kill("SIGCONT");
    await until("Muster is ready again", async () => (await readiness(client)).status === 200, 60_000);
    assert.match(textOf(await client.trigger(sessionId, say("Hello there"))), /Hello there/);
    store.child.kill("SIGKILL");
    await assertOutage(client, sessionId);
  });
}
