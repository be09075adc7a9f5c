import assert from "node:assert/strict";
import { type AccessRow, accessOf, isOpen } from "@muster/gateway";
import { type Permission, permissions } from "@muster/rpc";
import { record, startIssuer, TestClient, type TestIssuer, type TestScope, until } from "@muster/testing";
import { CommandStartedEvent, MongoClient } from "mongodb";
import { test } from "vitest";
import { echoAgent, startWorld, type World } from "./support/world.ts";

/** The names in a request of a route, and the results of callers who may use the route, but not for that. */
interface Sample {
  path: string;
  body?: unknown;
  /** The status for a caller of another project, who has every permission there. */
  foreign: number;
  /** The status for a credential for another agent of the same project. */
  otherAgent: number;
  /** The status for a token for a session, if the route finds the session by the token. Absent: 403. */
  ofSession?: number;
  /** The status for a token without a subject for an agent of another project. Absent: as `foreign`. */
  withoutSubject?: number;
}

interface Things {
  agentId: string;
  otherAgentId: string;
  sessionId: string;
  otherSessionId: string;
  executionId: string;
  entryId: string;
  keyId: string;
  projectId: string;
  /** A workforce agent, its thread, which has ended, and its key. */
  workerId: string;
  threadId: string;
  workerKeyId: string;
  providerId: string;
  mcpServerId: string;
  webhookId: string;
  hookId: string;
  /** Belongs to the workforce agent. */
  scheduleId: string;
  /** A shared computer that dials in, and a token of it. */
  computerId: string;
  computerTokenId: string;
}

/** A request for each route that needs a credential. */
function samples(things: Things): Record<string, Sample> {
  const { agentId, sessionId, executionId, entryId, keyId, projectId, providerId, mcpServerId, webhookId } =
    things;
  const providers = "/api/admin/identity-providers";
  const mcpServers = "/api/admin/mcp-servers";
  const webhooks = "/api/admin/webhooks";
  const toolSecrets = "/api/admin/projects/default/tool-secrets";
  const session = `/api/agent-sessions/${sessionId}`;
  const agent = `/api/agents/${agentId}`;
  const trigger = { triggerName: "user-message", input: { USER_MESSAGE: "Hello" } };
  const chat = { model: "muster/one", messages: [{ role: "user", content: "Hello" }] };
  const toolResult = { type: "tool-a", toolCallId: "c", state: "output-available", output: 1 };
  const responseId = `resp_${sessionId}.${executionId}.msg_1..0.f.b25l`;
  const definition = echoAgent("intruder");
  const named = { foreign: 404, otherAgent: 403 };
  const ofSession = { foreign: 404, otherAgent: 404 };
  /** The names belong to no project. */
  const unnamed = { foreign: 200, otherAgent: 200 };
  return {
    "POST /api/agent-sessions": { path: "/api/agent-sessions", body: { agentId }, ...named },
    "POST /api/agent-sessions/start": {
      path: "/api/agent-sessions/start",
      body: { agentId, trigger },
      ...named,
    },
    "GET /api/agent-sessions": { path: "/api/agent-sessions", ...unnamed },
    "GET /api/agent-sessions/:sessionId": { path: session, ...ofSession },
    "PATCH /api/agent-sessions/:sessionId": { path: session, body: { metadata: { a: "b" } }, ...ofSession },
    "DELETE /api/agent-sessions/:sessionId": { path: session, ...ofSession },
    "GET /api/agent-sessions/:sessionId/logs": { path: `${session}/logs`, ...ofSession },
    "GET /api/agent-sessions/:sessionId/logs/:entryId": { path: `${session}/logs/${entryId}`, ...ofSession },
    "POST /api/agent-sessions/:sessionId/restore": {
      path: `${session}/restore`,
      body: { messages: [] },
      ...ofSession,
    },
    "POST /api/agent-sessions/:sessionId/trigger": {
      path: `${session}/trigger`,
      body: trigger,
      ...ofSession,
    },
    "POST /api/agent-sessions/:sessionId/cancel": { path: `${session}/cancel`, body: {}, ...ofSession },
    "GET /api/agent-sessions/:sessionId/executions/:executionId/events": {
      path: `${session}/executions/${executionId}/events`,
      ...ofSession,
    },
    "GET /api/approvals": { path: "/api/approvals", ...unnamed },
    "GET /api/approvals/:approvalId": { path: "/api/approvals/apr_none", ...ofSession },
    "POST /api/approvals/:approvalId": {
      path: "/api/approvals/apr_none",
      body: { decision: "approve" },
      ...ofSession,
    },
    "POST /api/ui/chat": {
      path: "/api/ui/chat",
      body: { id: "chat-1", agentId, messages: [{ id: "m", role: "assistant", parts: [toolResult] }] },
      ...{ ...named, ofSession: 400, withoutSubject: 403 },
    },
    "GET /api/ui/chat/:id/stream": {
      path: `/api/ui/chat/chat-1/stream?agentId=${agentId}`,
      ...{ foreign: 204, otherAgent: 403, ofSession: 204, withoutSubject: 403 },
    },
    "POST /api/ui/chat/:id/cancel": {
      path: `/api/ui/chat/chat-1/cancel?agentId=${agentId}`,
      ...{ ...named, ofSession: 200, withoutSubject: 403 },
    },
    "POST /api/ag-ui/:agent": {
      path: `/api/ag-ui/${agentId}`,
      body: {
        ...{ threadId: "chat-1", runId: "r" },
        messages: [{ id: "m", role: "tool", toolCallId: "c", content: "1" }],
      },
      ...{ ...named, ofSession: 400, withoutSubject: 403 },
    },
    "GET /api/agents": { path: "/api/agents", ...unnamed },
    "POST /api/agents": { path: "/api/agents", body: definition, foreign: 201, otherAgent: 403 },
    "POST /api/agents/validate": {
      path: "/api/agents/validate",
      body: definition,
      foreign: 200,
      otherAgent: 403,
    },
    "GET /api/agents/:id": { path: agent, ...named },
    "PATCH /api/agents/:id": { path: agent, body: { protocol: definition.protocol }, ...named },
    "DELETE /api/agents/:id": { path: agent, ...named },
    "GET /api/agents/:id/versions": { path: `${agent}/versions`, ...named },
    "POST /api/agents/:id/execute": {
      path: `${agent}/execute`,
      body: { type: "start", input: {} },
      ...named,
    },
    "POST /api/files/upload-urls": {
      path: "/api/files/upload-urls",
      body: { sessionId, ...uploads },
      ...ofSession,
    },
    "POST /api/tokens": { path: "/api/tokens", body: { agentId, sessionId }, ...named },
    "POST /api/tokens/revoke": { path: "/api/tokens/revoke", body: { jti: "tok_none" }, ...unnamed },
    "GET /api/usage": { path: "/api/usage?groupBy=model", ...unnamed },
    "GET /api/admin/audit": { path: "/api/admin/audit?action=key.create", ...unnamed },
    "GET /api/admin/keys": { path: "/api/admin/keys", ...unnamed },
    "POST /api/admin/keys": {
      path: "/api/admin/keys",
      body: { name: "k", permissions: ["sessions"], agentId },
      foreign: 400,
      otherAgent: 403,
    },
    "PATCH /api/admin/keys/:id": {
      path: `/api/admin/keys/${keyId}`,
      body: { limits: { monthlyUsd: 1 } },
      ...named,
    },
    "DELETE /api/admin/keys/:id": { path: `/api/admin/keys/${keyId}`, ...named },
    "GET /api/admin/projects": { path: "/api/admin/projects", ...unnamed },
    "POST /api/admin/projects": {
      path: "/api/admin/projects",
      body: { name: "p" },
      foreign: 403,
      otherAgent: 403,
    },
    "PATCH /api/admin/projects/:id": {
      path: `/api/admin/projects/${projectId}`,
      body: { name: "p", limits: { requestsPerMinute: 1 } },
      ...named,
    },
    "GET /api/admin/projects/:projectId/provider-keys": {
      path: "/api/admin/projects/default/provider-keys",
      ...named,
    },
    "PUT /api/admin/projects/:projectId/provider-keys/:provider": {
      path: "/api/admin/projects/default/provider-keys/openai",
      body: { key: "k" },
      ...named,
    },
    "DELETE /api/admin/projects/:projectId/provider-keys/:provider": {
      path: "/api/admin/projects/default/provider-keys/openai",
      ...named,
    },
    "GET /api/admin/projects/:projectId/tool-secrets": { path: toolSecrets, ...named },
    "PUT /api/admin/projects/:projectId/tool-secrets/:host": {
      path: `${toolSecrets}/tools.example`,
      body: {},
      ...named,
    },
    "DELETE /api/admin/projects/:projectId/tool-secrets/:host": {
      path: `${toolSecrets}/tools.example`,
      ...named,
    },
    "GET /api/admin/identity-providers": { path: providers, ...unnamed },
    "POST /api/admin/identity-providers": {
      path: providers,
      body: identityProvider("https://idp.example", { agentId }),
      foreign: 400,
      otherAgent: 403,
    },
    "GET /api/admin/identity-providers/:id": { path: `${providers}/${providerId}`, ...named },
    "PATCH /api/admin/identity-providers/:id": {
      path: `${providers}/${providerId}`,
      body: { name: "p" },
      ...named,
    },
    "DELETE /api/admin/identity-providers/:id": { path: `${providers}/${providerId}`, ...named },
    "GET /api/admin/mcp-servers": { path: mcpServers, ...unnamed },
    "POST /api/admin/mcp-servers": {
      path: mcpServers,
      body: { slug: "tracker" },
      foreign: 400,
      otherAgent: 403,
    },
    "GET /api/admin/mcp-servers/:id": { path: `${mcpServers}/${mcpServerId}`, ...named },
    "PATCH /api/admin/mcp-servers/:id": {
      path: `${mcpServers}/${mcpServerId}`,
      body: { enabled: false },
      ...named,
    },
    "POST /api/admin/mcp-servers/:id/test": { path: `${mcpServers}/${mcpServerId}/test`, ...named },
    "DELETE /api/admin/mcp-servers/:id": { path: `${mcpServers}/${mcpServerId}`, ...named },
    "GET /api/admin/webhooks": { path: webhooks, ...unnamed },
    "POST /api/admin/webhooks": {
      path: webhooks,
      body: { url: "nonsense", events: ["thread.failed"] },
      foreign: 400,
      otherAgent: 403,
    },
    "GET /api/admin/webhooks/:id": { path: `${webhooks}/${webhookId}`, ...named },
    "PATCH /api/admin/webhooks/:id": { path: `${webhooks}/${webhookId}`, body: { enabled: false }, ...named },
    "POST /api/admin/webhooks/:id/rotate": { path: `${webhooks}/${webhookId}/rotate`, ...named },
    "POST /api/admin/webhooks/:id/test": { path: `${webhooks}/${webhookId}/test`, ...named },
    "GET /api/admin/webhooks/:id/deliveries": { path: `${webhooks}/${webhookId}/deliveries`, ...named },
    "POST /api/admin/webhooks/:id/deliveries/:deliveryId/replay": {
      path: `${webhooks}/${webhookId}/deliveries/dlv_none/replay`,
      ...named,
    },
    "DELETE /api/admin/webhooks/:id": { path: `${webhooks}/${webhookId}`, ...named },
    "POST /api/admin/projects/:projectId/callback-secret": {
      path: `/api/admin/projects/${projectId}/callback-secret`,
      ...named,
    },
    ...workforceSamples(things),
    ...computerSamples(things),
    "POST /v1/chat/completions": {
      path: "/v1/chat/completions",
      body: { ...chat, metadata: { session_id: sessionId } },
      ...ofSession,
    },
    "POST /v1/responses": {
      path: "/v1/responses",
      body: { model: "muster/one", input: "Hello", metadata: { session_id: sessionId } },
      ...ofSession,
    },
    "GET /v1/responses/:responseId": { path: `/v1/responses/${responseId}`, ...ofSession },
    "POST /v1/responses/:responseId/cancel": {
      path: `/v1/responses/${responseId}/cancel`,
      body: {},
      ...ofSession,
    },
    "GET /v1/models": { path: "/v1/models", ...unnamed },
    "GET /v1/models/:model": { path: "/v1/models/muster%2Fone", ...ofSession },
    "POST /api/logins": { path: "/api/logins", foreign: 201, otherAgent: 201 },
    "GET /api/changes": { path: endless, ...unnamed },
    "GET /api/credential": { path: "/api/credential", ...unnamed },
    "GET /api/providers": { path: "/api/providers", ...unnamed },
  };
}

function identityProvider(issuer: string, scope: Record<string, string>) {
  return { name: "CI", issuer, conditions: [{ claim: "sub", equals: ["ci"] }], scope };
}

const uploads = { files: [{ filename: "a.txt", mediaType: "text/plain", size: 5 }] };

function workforceSamples({
  agentId,
  workerId,
  threadId,
  workerKeyId,
  hookId,
  scheduleId,
}: Things): Record<string, Sample> {
  const work = `/api/v1/workforce/agents/${workerId}`;
  const thread = `${work}/threads/${threadId}`;
  const hired = `/api/admin/workforce/agents/${workerId}`;
  const hooks = `${hired}/hooks`;
  const verify = { type: "bearer", secret: "a secret of the intruder" };
  const message = { message: "Hello" };
  const ofWork = (path: string, body?: unknown) => ({ path, body, foreign: 403, otherAgent: 403 });
  const named = { foreign: 404, otherAgent: 403 };
  /** The same work with a key that manages the project's agents. */
  const managed = (method: string, path: string, body?: unknown) => ({
    [`${method} /api/admin/workforce/agents/:agentId${path.replace("{id}", ":threadId")}`]: {
      path: `${hired}${path.replace("{id}", threadId)}`,
      body,
      ...named,
    },
  });
  const unnamed = { foreign: 200, otherAgent: 403 };
  return {
    "GET /api/v1/workforce/agents/:agentId": ofWork(work),
    "GET /api/v1/workforce/agents/:agentId/threads": ofWork(`${work}/threads`),
    "POST /api/v1/workforce/agents/:agentId/threads": ofWork(`${work}/threads`, message),
    "GET /api/v1/workforce/agents/:agentId/threads/:threadId": ofWork(thread),
    "DELETE /api/v1/workforce/agents/:agentId/threads/:threadId": ofWork(thread),
    "POST /api/v1/workforce/agents/:agentId/threads/:threadId/messages": ofWork(
      `${thread}/messages`,
      message,
    ),
    "POST /api/v1/workforce/agents/:agentId/threads/:threadId/cancel": ofWork(`${thread}/cancel`, {}),
    "GET /api/v1/workforce/agents/:agentId/threads/:threadId/events": ofWork(`${thread}/events`),
    "DELETE /api/v1/workforce/agents/:agentId/threads/:threadId/recording": ofWork(`${thread}/recording`),
    ...Object.fromEntries(
      ["", ".webm", "/chapters.vtt", "/transcript.vtt"].map((end) => [
        `GET /r/:recordingId${end}`,
        { path: `/r/rec_0${end}`, foreign: 403, otherAgent: 404 },
      ]),
    ),
    "POST /api/v1/workforce/agents/:agentId/files": ofWork(`${work}/files`, uploads),
    "GET /api/a2a/:agentId/.well-known/agent-card.json": {
      ...{ path: `/api/a2a/${workerId}/.well-known/agent-card.json`, ...named },
    },
    // The refusal of a method is 200 with an error.
    "POST /api/a2a/:agentId": {
      path: `/api/a2a/${workerId}`,
      body: { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: threadId } },
      ...unnamed,
    },
    // Likewise of a tool.
    "POST /mcp": {
      path: "/mcp",
      body: {
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "muster_workforce_read", arguments: { agentId: workerId, threadId } },
      },
      ...{ foreign: 200, otherAgent: 200 },
    },
    "GET /api/admin/workforce/prebuilt": { path: "/api/admin/workforce/prebuilt", ...unnamed },
    "GET /api/admin/workforce/agents": { path: "/api/admin/workforce/agents", ...unnamed },
    "POST /api/admin/workforce/agents": {
      path: "/api/admin/workforce/agents",
      body: { name: "Intruder", agentId },
      foreign: 400,
      otherAgent: 403,
    },
    "GET /api/admin/workforce/agents/:id": { path: hired, ...named },
    "PATCH /api/admin/workforce/agents/:id": { path: hired, body: { name: "Mine" }, ...named },
    "DELETE /api/admin/workforce/agents/:id": { path: hired, ...named },
    "GET /api/admin/workforce/agents/:id/keys": { path: `${hired}/keys`, ...named },
    "POST /api/admin/workforce/agents/:id/keys": { path: `${hired}/keys`, body: { name: "k" }, ...named },
    "DELETE /api/admin/workforce/agents/:id/keys/:keyId": { path: `${hired}/keys/${workerKeyId}`, ...named },
    "GET /api/admin/workforce/agents/:id/hooks": { path: hooks, ...named },
    "POST /api/admin/workforce/agents/:id/hooks": {
      ...{ path: hooks, body: { name: "h", message: "m", verify }, ...named },
    },
    "GET /api/admin/workforce/agents/:id/hooks/:hookId": { path: `${hooks}/${hookId}`, ...named },
    "PATCH /api/admin/workforce/agents/:id/hooks/:hookId": {
      ...{ path: `${hooks}/${hookId}`, body: { verify }, ...named },
    },
    "GET /api/admin/workforce/agents/:id/hooks/:hookId/deliveries": {
      ...{ path: `${hooks}/${hookId}/deliveries`, ...named },
    },
    "POST /api/admin/workforce/agents/:id/hooks/:hookId/deliveries/:deliveryId/replay": {
      ...{ path: `${hooks}/${hookId}/deliveries/hdl_none/replay`, ...named },
    },
    "DELETE /api/admin/workforce/agents/:id/hooks/:hookId": { path: `${hooks}/${hookId}`, ...named },
    ...scheduleSamples(`${hired}/schedules`, scheduleId),
    "GET /api/admin/workforce/agents/:id/queue": { path: `${hired}/queue`, ...named },
    "GET /api/admin/workforce/threads": { path: "/api/admin/workforce/threads", ...unnamed },
    ...managed("GET", "/threads"),
    ...managed("POST", "/threads", message),
    ...managed("GET", "/threads/{id}"),
    ...managed("DELETE", "/threads/{id}"),
    ...managed("POST", "/threads/{id}/messages", message),
    ...managed("POST", "/threads/{id}/cancel", {}),
    ...managed("GET", "/threads/{id}/events"),
    ...managed("DELETE", "/threads/{id}/recording"),
    ...managed("POST", "/files", uploads),
  };
}

function scheduleSamples(schedules: string, scheduleId: string): Record<string, Sample> {
  const base = "/api/admin/workforce/agents/:id/schedules";
  const named = { foreign: 404, otherAgent: 403 };
  const one = `${schedules}/${scheduleId}`;
  const body = { name: "Report", at: "2099-01-01T00:00", timezone: "UTC", message: "Report" };
  const of = (method: string, path: string, sent?: unknown): [string, Sample] => [
    `${method} ${base}/:scheduleId${path}`,
    { path: `${one}${path}`, ...(sent !== undefined && { body: sent }), ...named },
  ];
  return {
    [`GET ${base}`]: { path: schedules, ...named },
    [`POST ${base}`]: { path: schedules, body, ...named },
    ...Object.fromEntries([
      of("GET", ""),
      of("PATCH", "", { name: "Mine" }),
      of("POST", "/run"),
      of("POST", "/pause"),
      of("POST", "/resume"),
      of("GET", "/runs"),
      of("DELETE", ""),
    ]),
  };
}

function computerSamples({ computerId, computerTokenId, workerId }: Things): Record<string, Sample> {
  const computers = "/api/admin/computers";
  const tokens = `/api/admin/workforce/agents/${workerId}/computer-tokens`;
  const one = `${computers}/${computerId}`;
  const named = { foreign: 404, otherAgent: 403 };
  const connect = "/api/v1/computers/connect";
  return {
    [`GET ${connect}`]: { path: connect, foreign: 403, otherAgent: 403 },
    [`GET ${computers}`]: { path: computers, foreign: 200, otherAgent: 403 },
    [`POST ${computers}`]: {
      path: computers,
      body: { name: "c", kind: "toaster", os: "linux" },
      foreign: 400,
      otherAgent: 403,
    },
    [`GET ${computers}/:id`]: { path: one, ...named },
    [`DELETE ${computers}/:id`]: { path: one, ...named },
    [`GET ${computers}/:id/tokens`]: { path: `${one}/tokens`, ...named },
    [`POST ${computers}/:id/tokens`]: { path: `${one}/tokens`, body: { name: "t" }, ...named },
    [`DELETE ${computers}/:id/tokens/:tokenId`]: { path: `${one}/tokens/${computerTokenId}`, ...named },
    "GET /api/admin/workforce/agents/:id/computer-tokens": { path: tokens, ...named },
    "POST /api/admin/workforce/agents/:id/computer-tokens": { path: tokens, body: { name: "t" }, ...named },
    "DELETE /api/admin/workforce/agents/:id/computer-tokens/:tokenId": {
      path: `${tokens}/${computerTokenId}`,
      ...named,
    },
  };
}

/** A principal that may not do what the requests ask for. */
interface Wrong {
  name: string;
  authorization: string | undefined;
  /** The status of the response; undefined if the request is not wrong. */
  expect(row: AccessRow, sample: Sample): number | undefined;
}

const bearer = (credential: string) => `Bearer ${credential}`;
const unauthenticated = () => 401;
/** Without a key and a signature, a recording does not even seem to exist. */
const unsigned = ({ orSigned }: AccessRow) => (orSigned ? 404 : 401);

async function prepare(world: World) {
  const { client } = world;
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", echoAgent("one"));
  const otherAgentId = await client.field("agentId", 201, "POST", "/api/agents", echoAgent("two"));
  const openSession = (body: unknown) => client.field("sessionId", 201, "POST", "/api/agent-sessions", body);
  const sessionId = await openSession({ agentId });
  const otherSessionId = await openSession({ agentId });
  const events = await client.trigger(sessionId, {
    triggerName: "user-message",
    input: { USER_MESSAGE: "Hi" },
  });
  const executionId = String(events[0]?.executionId);
  const log = await client.json(200, "GET", `/api/agent-sessions/${sessionId}/logs`);
  const entryId = String(Array.isArray(log.entries) && record(log.entries[0]).id);
  const makeKey = async (granted: readonly Permission[], fields: Record<string, unknown> = {}) => {
    const body = { name: "k", permissions: granted, ...fields };
    const { id, key } = await client.json(201, "POST", "/api/admin/keys", body);
    return { id: String(id), key: String(key) };
  };
  const { id: keyId } = await makeKey(["sessions"]);
  const projectId = await client.field("id", 201, "POST", "/api/admin/projects", { name: "Third" });
  const provider = identityProvider("https://idp.example", { agentId });
  const providerId = await client.field("id", 201, "POST", "/api/admin/identity-providers", provider);
  const mcpServer = { slug: "issues", url: "https://mcp.example" };
  const mcpServerId = await client.field("id", 201, "POST", "/api/admin/mcp-servers", mcpServer);
  const webhook = { url: "https://hooks.example", events: ["thread.failed"] };
  const webhookId = await client.field("id", 201, "POST", "/api/admin/webhooks", webhook);
  const worker = await hire(world, { agentId, limits: { monthlyRuns: 0 } });
  const verify = { type: "bearer", secret: "a secret of the sender" };
  const hooks = `/api/admin/workforce/agents/${worker.agentId}/hooks`;
  const hookId = await client.field("id", 201, "POST", hooks, { name: "h", message: "m", verify });
  const schedule = { name: "Report", at: "2099-01-01T00:00", timezone: "UTC", message: "Report" };
  const schedules = `/api/admin/workforce/agents/${worker.agentId}/schedules`;
  const scheduleId = await client.field("id", 201, "POST", schedules, schedule);
  const shared = { name: "Rack 2", kind: "dedicated", os: "linux" };
  const computerId = await client.field("id", 201, "POST", "/api/admin/computers", shared);
  const tokens = `/api/admin/computers/${computerId}/tokens`;
  const { id, token } = await client.json(201, "POST", tokens, { name: "t" });
  const things: Things = {
    ...{ computerId, computerTokenId: String(id) },
    ...{
      agentId,
      otherAgentId,
      sessionId,
      otherSessionId,
      executionId,
      entryId,
      keyId,
      projectId,
      providerId,
      mcpServerId,
      webhookId,
      hookId,
      scheduleId,
    },
    ...{
      workerId: worker.agentId,
      threadId: await worker.blockedThread(),
      workerKeyId: await worker.keyId(),
    },
  };
  return { things, makeKey, workerKey: worker.key, computerToken: String(token) };
}

/** A workforce agent. `blockedThread` starts a thread that has ended, if the agent may not run any. */
async function hire({ client, url }: World, fields: Record<string, unknown>) {
  const body = { name: "Worker", ...fields };
  const { agentId, key } = await client.json(201, "POST", "/api/admin/workforce/agents", body);
  const threads = `/api/v1/workforce/agents/${agentId}/threads`;
  const keys = `/api/admin/workforce/agents/${agentId}/keys`;
  const own = new TestClient(url, String(key));
  return {
    ...{ agentId: String(agentId), key: String(key) },
    blockedThread: () => own.field("threadId", 201, "POST", threads, { message: "Hello" }),
    keyId: async () => {
      const { keys: listed } = await client.json(200, "GET", keys);
      assert.ok(Array.isArray(listed));
      return String(record(listed[0]).id);
    },
  };
}

async function wrongPrincipals(
  world: World,
  issuer: TestIssuer,
): Promise<{ things: Things; principals: Wrong[] }> {
  const { client } = world;
  const { things, makeKey, workerKey, computerToken } = await prepare(world);
  const { otherAgentId, agentId, otherSessionId } = things;
  const expiresAt = new Date(Date.now() + 1_500);
  const expired = await makeKey(["sessions"], { expiresAt: expiresAt.toISOString() });
  const deleted = await makeKey(["sessions"]);
  await client.json(200, "DELETE", `/api/admin/keys/${deleted.id}`);
  const project = await client.json(201, "POST", "/api/admin/projects", { name: "Other" });
  // With admin alone, so that every answer below shows that it implies the other permissions.
  const foreign = await makeKey(["admin"], { projectId: project.id });
  const single = new Map<Permission, string>();
  for (const permission of permissions) single.set(permission, (await makeKey([permission])).key);
  const forOther = await makeKey(["sessions", "mint-tokens"], { agentId: otherAgentId });
  const otherWorker = await hire(world, { agentId });
  const mint = async (key: string, body: unknown) => {
    const response = await fetch(`${world.url}/api/tokens`, {
      method: "POST",
      headers: { authorization: bearer(key), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, 201, text);
    const { token }: { token: string } = JSON.parse(text);
    return token;
  };
  const minter = await makeKey(["mint-tokens", "sessions"]);
  const agentToken = await mint(minter.key, { agentId: otherAgentId });
  const sessionToken = await mint(minter.key, { agentId, sessionId: otherSessionId });
  const dying = await makeKey(["mint-tokens", "sessions"]);
  const deadToken = await mint(dying.key, { agentId });
  await client.json(200, "DELETE", `/api/admin/keys/${dying.id}`);
  const federated = async (scope: Record<string, string>, admin = client, claims = {}) => {
    const provider = await admin.json(
      201,
      ...(["POST", "/api/admin/identity-providers", identityProvider(issuer.url, scope)] as const),
    );
    const nowS = Math.floor(Date.now() / 1_000);
    const times = { iat: nowS, exp: nowS + 3_600 };
    return issuer.sign({ iss: issuer.url, aud: provider.audience, sub: "ci", ...times, ...claims });
  };
  const ofAgent = await federated({ agentId: otherAgentId });
  const ofSession = await federated({ agentClaim: "agent", sessionClaim: "session" }, client, {
    ...{ agent: agentId, session: otherSessionId },
  });
  const ofProject = await federated({ agentClaim: "agent" }, new TestClient(world.url, foreign.key), {
    agent: agentId,
  });
  await until("the key has expired", () => Date.now() > expiresAt.getTime());

  const principals: Wrong[] = [
    {
      name: "no credential",
      authorization: undefined,
      expect: unsigned,
    },
    { name: "a malformed header", authorization: `Basic ${foreign.key}`, expect: unsigned },
    { name: "an unknown key", authorization: bearer(`svc_sk_${"0".repeat(32)}`), expect: unauthenticated },
    { name: "an expired key", authorization: bearer(expired.key), expect: unauthenticated },
    { name: "a deleted key", authorization: bearer(deleted.key), expect: unauthenticated },
    {
      name: "a key of another project, with only the permission admin",
      authorization: bearer(foreign.key),
      expect: (_row, { foreign: status }) => status,
    },
    ...permissions.map((permission) => ({
      name: `a key with only the permission ${permission}`,
      authorization: bearer(single.get(permission) ?? ""),
      // With the permission it may do all of this, unless only the keys of one agent may.
      expect: ({ anyOf, grants, onlyLimited }: AccessRow) =>
        (permission === "admin" || (anyOf.includes(permission) && grants === undefined)) && !onlyLimited
          ? undefined
          : 403,
    })),
    {
      name: "a key for another agent",
      authorization: bearer(forOther.key),
      expect: (row, { otherAgent }) => {
        const isPermitted = row.anyOf.includes("sessions") || row.anyOf.includes("mint-tokens");
        return isPermitted && row.limited.includes("agent-key") ? otherAgent : 403;
      },
    },
    {
      name: "a key of another workforce agent",
      authorization: bearer(otherWorker.key),
      expect: (row, { otherAgent }) => (row.limited.includes("workforce-key") ? otherAgent : 403),
    },
    {
      name: "the key of the workforce agent, for anything but its work",
      authorization: bearer(workerKey),
      expect: (row) => (row.limited.includes("workforce-key") ? undefined : 403),
    },
    {
      name: "a token of a computer, for anything but its connection",
      authorization: bearer(computerToken),
      expect: (row) => (row.limited.includes("computer-token") ? undefined : 403),
    },
    {
      name: "a token for another agent",
      authorization: bearer(agentToken),
      expect: (row, { otherAgent }) => (row.limited.includes("agent-token") ? otherAgent : 403),
    },
    {
      name: "a token for another session",
      authorization: bearer(sessionToken),
      expect: (_row, { ofSession = 403 }) => ofSession,
    },
    {
      name: "a signed token for another agent",
      authorization: bearer(ofAgent),
      expect: (row, { otherAgent }) => (row.limited.includes("agent-token") ? otherAgent : 403),
    },
    {
      name: "a signed token for another session",
      authorization: bearer(ofSession),
      expect: (_row, { ofSession = 403 }) => ofSession,
    },
    {
      name: "a signed token of another project that names the agent",
      authorization: bearer(ofProject),
      expect: (row, { foreign: status, withoutSubject = status }) =>
        row.limited.includes("agent-token") ? withoutSubject : 403,
    },
    {
      name: "a signed token for another audience",
      authorization: bearer(await issuer.sign({ iss: issuer.url, aud: "muster:idp_0", sub: "ci" })),
      expect: unauthenticated,
    },
    { name: "a token whose key was deleted", authorization: bearer(deadToken), expect: unauthenticated },
  ];
  return { things, principals };
}

const codes: Readonly<Record<number, RegExp>> = {
  400: /"(INVALID_REQUEST|UNKNOWN_TOOL_CALL)"/,
  401: /"UNAUTHENTICATED"/,
  403: /"FORBIDDEN"/,
  404: /"NOT_FOUND"/,
};

/** A stream that only its reader ends. */
const endless = "/api/changes";

async function send(world: World, method: string, { path, body }: Sample, authorization: string | undefined) {
  const response = await fetch(world.url + path, {
    method,
    headers: {
      accept: "application/json, text/event-stream, */*",
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = path === endless && response.ok ? "" : await response.text();
  if (!response.bodyUsed) await response.body?.cancel();
  return { status: response.status, text };
}

/** The state of everything that belongs to the first project. */
async function stateOf({ client }: World, { sessionId, agentId, workerId }: Things): Promise<unknown[]> {
  const paths = [
    `/api/agent-sessions/${sessionId}`,
    `/api/agents/${agentId}`,
    "/api/agents",
    "/api/agent-sessions",
    "/api/admin/projects",
    "/api/admin/workforce/agents",
    `/api/admin/workforce/agents/${workerId}/queue`,
    "/api/admin/computers",
  ];
  return Promise.all(paths.map((path) => client.json(200, "GET", path)));
}

test("no route serves any of twenty-three wrong principals, and none of their requests changes anything", async (t) => {
  const issuer = await startIssuer(t);
  const world = await startWorld(t, { privateOrigins: [issuer.url] });
  const { things, principals } = await wrongPrincipals(world, issuer);
  assert.equal(principals.length, 23);
  const all = samples(things);
  const before = await stateOf(world, things);
  const failures: string[] = [];
  const uniform = new Map<string, string>();
  for (const route of world.routes) {
    const [method = "", path = ""] = route.split(" ");
    const row = accessOf(method, path);
    assert.ok(row, `${route} has no row in the access table`);
    if (isOpen(row) || method === "HEAD") continue;
    const sample = all[route];
    assert.ok(sample, `${route} has no sample in this test`);
    for (const { name, authorization, expect } of principals) {
      const expected = expect(row, sample);
      if (expected === undefined) continue;
      const { status, text } = await send(world, method, sample, authorization);
      const problem: Record<string, unknown> = status < 400 ? {} : JSON.parse(text);
      const isRight = status === expected && (status < 400 || codes[status]?.test(text) === true);
      if (!isRight)
        failures.push(`${route} by ${name}: ${status} ${text.slice(0, 200)}, expected ${expected}`);
      if (status === 401) {
        // Errors of dialects have shapes of their own.
        const shape = "code" in problem ? "" : route;
        const refusal = text.replace(/"requestId":"[^"]*"/, "");
        assert.equal(
          uniform.get(shape) ?? refusal,
          refusal,
          "every unauthenticated request gets the same response",
        );
        uniform.set(shape, refusal);
      }
      if (status < 400) {
        const { sessionId, agentId, workerId, threadId, computerId } = things;
        for (const secret of [sessionId, agentId, workerId, threadId, computerId]) {
          if (text.includes(secret))
            failures.push(`${route} by ${name} shows ${secret}: ${text.slice(0, 200)}`);
        }
      }
    }
  }
  assert.deepEqual(failures, []);
  assert.deepEqual(await stateOf(world, things), before);
});

/** Commands to the store that name one of the ids, which no background work does but the records of earlier model calls. */
function countCommands(t: TestScope) {
  const seen: string[] = [];
  const emit = MongoClient.prototype.emit;
  MongoClient.prototype.emit = function (this: MongoClient, name, ...values) {
    const [event]: unknown[] = values;
    if (name === "commandStarted" && event instanceof CommandStartedEvent)
      seen.push(JSON.stringify(event.command));
    return Boolean(Reflect.apply(emit, this, [name, ...values]));
  };
  t.onTestFinished(() => {
    MongoClient.prototype.emit = emit;
  });
  return (ids: readonly string[]) =>
    seen
      .splice(0)
      .filter((text) => !text.startsWith('{"insert":"usage"') && ids.some((id) => text.includes(id))).length;
}

/** Sends each request for things that exist, and for ones that do not: neither response nor store shows a difference. */
async function assertIndistinguishable(
  world: World,
  credential: string,
  pairs: ReadonlyArray<readonly [route: string, existing: Sample, missing: Sample]>,
  ids: readonly string[],
  count: ReturnType<typeof countCommands>,
): Promise<void> {
  const plain = (text: string) => text.replace(/"requestId":"[^"]*"/, "");
  for (const [route, existing, missing] of pairs) {
    const [method = ""] = route.split(" ");
    const ask = async (sample: Sample) => {
      count([]);
      const { status, text } = await send(world, method, sample, bearer(credential));
      return { status, text: plain(text), commands: count(ids) };
    };
    const [known, unknown] = [await ask(existing), await ask(missing)];
    // Background work names the same things at times, which only adds commands: those of the route itself stay.
    for (let tries = 0; tries < 20 && known.commands !== unknown.commands; tries++) {
      known.commands = Math.min(known.commands, (await ask(existing)).commands);
      unknown.commands = Math.min(unknown.commands, (await ask(missing)).commands);
    }
    assert.deepEqual(known, unknown, route);
    assert.ok(known.status >= 400, route);
  }
}

const none = {
  agentId: "agt_none",
  sessionId: "ses_none",
  executionId: "exe_none",
  entryId: "log_none_1048577",
  keyId: "key_none",
  projectId: "prj_none",
  providerId: "idp_none",
  mcpServerId: "mcp_none",
  webhookId: "whk_none",
  hookId: "hok_none",
  scheduleId: "sch_none",
  workerId: "agt_none",
  threadId: "thr_none",
  workerKeyId: "key_none",
};

test("an object of another project gets the same response, after as many queries, as one that does not exist", async (t) => {
  const count = countCommands(t);
  const world = await startWorld(t, { monitorsStore: true });
  const { things, makeKey } = await prepare(world);
  const project = await world.client.json(201, "POST", "/api/admin/projects", { name: "Other" });
  const { key } = await makeKey(permissions, { projectId: project.id });
  const missing = samples({ ...things, ...none });
  const pairs = Object.entries(samples(things))
    .filter(([, { foreign }]) => foreign === 404 || foreign === 400)
    .map(([route, sample]) => [route, sample, missing[route] ?? sample] as const);
  assert.ok(pairs.length >= 15, String(pairs.length));
  const ids = [...Object.values(things), ...Object.values(none)];
  await assertIndistinguishable(world, key, pairs, ids, count);
});

test("to a credential for one agent, sessions and names of other agents look like ones that do not exist", async (t) => {
  const count = countCommands(t);
  const world = await startWorld(t, { monitorsStore: true });
  const { things, makeKey } = await prepare(world);
  const { key } = await makeKey(["sessions", "mint-tokens"], { agentId: things.otherAgentId });
  const { token } = await new TestClient(world.url, key).json(201, "POST", "/api/tokens", {
    agentId: things.otherAgentId,
  });
  const ofSessions = (known: Things) =>
    Object.entries(samples(known)).filter(([route]) => route.includes("/:sessionId"));
  const named = (agentSlug: string, sessionId: string): Array<readonly [string, Sample]> => {
    const [foreign, otherAgent] = [404, 403];
    const trigger = { triggerName: "user-message", input: { USER_MESSAGE: "Hello" } };
    const of = (path: string, body: unknown) => ({ path, body, foreign, otherAgent });
    const agentId = things.otherAgentId;
    return [
      ["POST /api/agent-sessions", of("/api/agent-sessions", { agentSlug })],
      ["POST /api/agent-sessions/start", of("/api/agent-sessions/start", { agentSlug, trigger })],
      [
        "POST /api/agents/:id/execute",
        of(`/api/agents/${agentSlug}/execute?by=slug`, { type: "start", input: {} }),
      ],
      ["POST /api/tokens", of("/api/tokens", { agentId, sessionId })],
    ];
  };
  const existing = [...ofSessions(things), ...named("one", things.sessionId)];
  const missing = [...ofSessions({ ...things, ...none }), ...named("nobody", none.sessionId)];
  const pairs = existing.map(
    ([route, sample], index) => [route, sample, missing[index]?.[1] ?? sample] as const,
  );
  assert.ok(pairs.length >= 12, String(pairs.length));
  const ids = [things.sessionId, none.sessionId, '"one"', '"nobody"', things.executionId, none.executionId];
  for (const credential of [key, String(token)])
    await assertIndistinguishable(world, credential, pairs, ids, count);
});
