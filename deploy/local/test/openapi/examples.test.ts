import assert from "node:assert/strict";
import { eventsOf, record, TestClient } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { readExample } from "../support/example.ts";
import { type Operation, operationsOf, readDocument } from "../support/openapi/document.ts";
import { startTestServer } from "../support/server.ts";

describe("the examples of the OpenAPI document", () => {
  const scope = suiteScope();
  let client: TestClient;
  let url = "";
  let operations: Operation[] = [];
  beforeAll(async () => {
    ({ client, url } = await startTestServer(scope));
    operations = operationsOf(await readDocument(client));
  });

  const operation = (operationId: string) => {
    const found = operations.find((each) => each.operationId === operationId);
    assert.ok(found, operationId);
    return found;
  };

  /** Sends the example of an operation and returns the body of the documented success. */
  async function send(operationId: string, ...ids: string[]): Promise<string> {
    const { method, path, example, successes } = operation(operationId);
    const filled = ids.reduce((rest, id) => rest.replace(/\{\w+\}/, id), path);
    const response = await client.request(method, filled, example);
    const text = await response.text();
    assert.ok(successes.includes(String(response.status)), `${operationId}: ${response.status} ${text}`);
    return text;
  }

  /** Hires an agent and sends the other examples about it; those about its work with its own key, too. */
  async function sendToWorkforce(): Promise<void> {
    const { agentId, key } = record(JSON.parse(await send("hireAgent")));
    await send("updateHiredAgent", String(agentId));
    await send("createAgentKey", String(agentId));
    const sendWork = async (suffix = "") => {
      await send(`createAgentUploadUrls${suffix}`, String(agentId));
      const { threadId } = record(JSON.parse(await send(`startThread${suffix}`, String(agentId))));
      await send(`followUpThread${suffix}`, String(agentId), String(threadId));
      await send("callAgent", String(agentId));
    };
    await sendWork("OfAgent");
    const admin = client;
    try {
      client = new TestClient(url, String(key));
      await sendWork();
    } finally {
      client = admin;
    }
  }

  async function sendForField(name: string, operationId: string, ...ids: string[]): Promise<string> {
    return String(record(JSON.parse(await send(operationId, ...ids)))[name]);
  }

  test("every operation with a body has an example", () => {
    const withoutBody = new Set(["GET", "DELETE"]);
    const withoutExample = new Set([
      "cancelExecution",
      "cancelUiChat",
      "cancelOpenAiResponse",
      "testMcpServer",
      "runSchedule",
      "pauseSchedule",
      "resumeSchedule",
      "testWebhook",
      "rotateWebhookSecret",
      "rotateCallbackSecret",
      "replayDelivery",
      "replayHookDelivery",
      // Its body is that of the sender.
      "receiveDelivery",
      "createLogin",
      "cancelThread",
      "cancelThreadOfAgent",
      "uploadFile",
      // Clients of the protocol make it.
      "callMcp",
    ]);
    const missing = operations.filter(
      ({ method, operationId, example }) =>
        !withoutBody.has(method) && !withoutExample.has(operationId) && example === undefined,
    );
    assert.deepEqual(
      missing.map(({ operationId }) => operationId),
      [],
    );
  });

  test("every example gets the documented success from a new server, in the order of a first use", async () => {
    const sent = new Set([
      "createAgent",
      "createSession",
      "triggerSession",
      "startSession",
      "sendUiChat",
      "runAgUiAgent",
      "updateSession",
      "restoreSession",
      "updateAgent",
    ]);
    assert.equal(record(JSON.parse(await send("validateAgent"))).valid, true);
    const agentId = await sendForField("agentId", "createAgent");
    const sessionId = await sendForField("sessionId", "createSession");
    const events = eventsOf(await send("triggerSession", sessionId));
    assert.equal(events.at(-1)?.type, "finish");
    assert.equal(eventsOf(await send("startSession")).at(-1)?.type, "finish");
    assert.match(await send("sendUiChat"), /"type":"finish","finishReason":"stop"/);
    assert.match(await send("runAgUiAgent", agentId), /"type":"RUN_FINISHED".*"success"/);
    assert.deepEqual(record(JSON.parse(await send("updateSession", sessionId))).metadata, { plan: "paid" });
    await send("clearSession", sessionId);
    assert.equal(record(JSON.parse(await send("restoreSession", sessionId))).restored, true);
    await send("updateAgent", agentId);
    const files = { ...record(operation("createUploadUrls").example), sessionId };
    await client.json(200, "POST", "/api/files/upload-urls", files);
    await client.json(201, "POST", "/api/agents", await readExample("research-worker"));
    const worker = await client.json(200, "GET", "/api/agents/research-worker?by=slug");
    const run = eventsOf(await send("executeAgent", String(worker.id)));
    assert.equal(run.at(-1)?.type, "usage");
    const { id: createdKey } = record(JSON.parse(await send("createKey")));
    await send("updateKey", String(createdKey));
    await sendToWorkforce();
    const project: unknown = JSON.parse(await send("createProject"));
    const projectId = String(record(project).id);
    await send("updateProject", projectId);
    await send("setProviderKey", projectId, "openai");
    await send("setToolSecret", projectId, "orders.example.com");
    // Only the agent's id cannot be known before the agent exists.
    await client.json(201, "POST", "/api/tokens", { ...record(operation("mintToken").example), agentId });
    await send("revokeToken");
    const provider = { ...record(operation("createIdentityProvider").example), scope: { agentId } };
    const { id } = await client.json(201, "POST", "/api/admin/identity-providers", provider);
    await send("updateIdentityProvider", String(id));
    await send("updateMcpServer", await sendForField("id", "createMcpServer"));
    const remote = { name: "Ann", prebuilt: "log-analyst", computer: { kind: "dedicated", os: "linux" } };
    const ann = await client.json(201, "POST", "/api/admin/workforce/agents", remote);
    await send("createAgentComputerToken", String(ann.agentId));
    await send("createComputerToken", await sendForField("id", "createComputer"));
    await send("updateWebhook", await sendForField("id", "createWebhook"));
    const hook = record(JSON.parse(await send("createHook", String(ann.agentId))));
    await send("updateHook", String(ann.agentId), String(hook.id));
    const scheduleId = await sendForField("id", "createSchedule", String(ann.agentId));
    await send("updateSchedule", String(ann.agentId), scheduleId);
    const others = [
      // deploy/local/test/approvals.test.ts sends one to a call that waits.
      "decideApproval",
      // deploy/local/test/workforce/remote-tools.test.ts sends one for a call that its service has accepted.
      "answerToolCall",
      // deploy/local/test/dialects sends others.
      "createChatCompletion",
      "createOpenAiResponse",
      "createUploadUrls",
      "createAgentUploadUrls",
      "hireAgent",
      "updateHiredAgent",
      "createAgentKey",
      "startThread",
      "followUpThread",
      "createAgentUploadUrlsOfAgent",
      "startThreadOfAgent",
      "followUpThreadOfAgent",
      "callAgent",
      "setProviderKey",
      "validateAgent",
      "executeAgent",
      "createKey",
      "updateKey",
      "createProject",
      "updateProject",
      "mintToken",
      "revokeToken",
      "createIdentityProvider",
      "updateIdentityProvider",
      "setToolSecret",
      "createMcpServer",
      "updateMcpServer",
      "createComputer",
      "createComputerToken",
      "createAgentComputerToken",
      "createWebhook",
      "updateWebhook",
      "createHook",
      "updateHook",
      "createSchedule",
      "updateSchedule",
    ];
    for (const name of others) sent.add(name);
    const withExample = operations.filter(({ example }) => example !== undefined);
    assert.deepEqual(withExample.map(({ operationId }) => operationId).sort(), [...sent].sort());
  });
});
