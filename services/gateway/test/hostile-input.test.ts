import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createInProcessBus } from "@muster/events";
import { Reason, rpcError } from "@muster/rpc";
import { Secret, silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { statusOfCode } from "@muster/wire/error-codes";
import fc from "fast-check";
import { test } from "vitest";
import { assertDocumented } from "./support/contract.ts";
import {
  agentBody,
  makeKey,
  type ScriptedComputers,
  type ScriptedHooks,
  type ScriptedRecordings,
  type ScriptedSchedules,
  type ScriptedSessions,
  type ScriptedWebhooks,
  type ScriptedWorkforce,
  startEdge,
} from "./support/start-edge.ts";

const tokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
const usage = {
  cost: { currency: "USD", providerFee: 0, bandwidthFee: 0, totalFee: 0, byok: true },
  tokens,
  models: {},
};

const approval = {
  ...{ id: "apr_1", status: "pending", agentId: "agt_1", agentVersion: 1, sessionId: "ses_1" },
  ...{ executionId: "exe_1", toolCallId: "call_1", toolName: "refund", argsJson: "{}" },
  ...{ argumentsHash: "0", createdAt: timestampFromMs(0), expiresAt: timestampFromMs(0) },
};

const sessions: ScriptedSessions = {
  createSession: async () => ({ sessionId: "ses_1" }),
  locateChat: async () => ({ sessionId: "ses_1" }),
  locateSession: async () => ({ agentId: "agt_1" }),
  getSession: async function* ({ sessionId }) {
    yield {
      session: {
        id: sessionId,
        agentId: "agt_1",
        active: true,
        usageJson: JSON.stringify(usage),
        createdAt: timestampFromMs(0),
        updatedAt: timestampFromMs(0),
      },
    };
  },
  readSessionLog: async function* () {
    yield { summary: { active: true } };
  },
  restoreSession: async () => ({ restored: true }),
  listSessions: async () => ({ sessions: [], nextCursor: "" }),
  updateSession: async () => ({ metadataJson: '{"plan":"free"}' }),
  clearSession: async () => ({}),
  cancelExecution: async () => ({ cancelled: true }),
  listApprovals: async () => ({ approvals: [approval], nextCursor: "" }),
  getApproval: async () => ({ approval, messagesJson: "[]" }),
  decideApproval: async () => ({ approval }),
  answerToolCall: async () => ({ answeredAt: timestampFromMs(0) }),
  reportUsage: async () => ({ groups: [], total: { totalFeeUsd: "0" } }),
  checkProviders: async () => ({ providers: [] }),
  testMcpServer: async () => ({ result: { case: "problem", value: { stage: "listing", problem: "None." } } }),
  trigger: async function* () {
    const start = { type: "start", messageId: "msg_1", executionId: "exe_1" };
    yield { events: [{ sequence: 1, type: "start", json: JSON.stringify(start) }] };
    const finish = { type: "finish", finishReason: "stop" };
    const used = { type: "usage", cost: usage.cost, tokens };
    const ends = [finish, used].map((event, index) => ({
      sequence: index + 2,
      type: event.type,
      json: JSON.stringify(event),
    }));
    yield { events: ends };
    yield { events: [], result: { messageJson: "null", text: "" } };
  },
  resumeExecution: async function* () {
    yield { events: [] };
    const finish = { type: "finish", finishReason: "stop" };
    yield { events: [{ sequence: 1, type: "finish", json: JSON.stringify(finish) }] };
  },
  startSession: async function* () {
    const start = { type: "start", messageId: "msg_1", executionId: "exe_1", sessionId: "ses_1" };
    const session = { sessionId: "ses_1", executionId: "exe_1" };
    yield { events: [{ sequence: 1, type: "start", json: JSON.stringify(start) }], session };
  },
  executeWorker: async function* () {
    yield { events: [{ sequence: 1, type: "start", json: '{"type":"start"}' }] };
  },
};

const workerId = "agt_lou";
const hired = {
  revision: 1,
  agent: {
    ...{ id: workerId, name: "Lou", status: "idle", queuedThreads: 0, capabilities: {} },
    computer: { kind: "sandbox", os: "linux", state: "none" },
  },
  ...{ projectId: "default", paused: false, settings: {}, limits: {}, createdAt: timestampFromMs(0) },
};

const recordings: ScriptedRecordings = {
  getRecording: async () => {
    throw rpcError(Reason.NOT_FOUND, "The recording does not exist.");
  },
  deleteRecordings: async () => ({}),
};

const workforce: ScriptedWorkforce = {
  hireAgent: async () => ({ agent: hired, key: "svc_agt_x" }),
  listAgents: async () => ({ agents: [hired] }),
  readHiredAgent: async () => ({ agent: hired }),
  updateAgent: async () => ({ agent: hired }),
  deleteAgent: async () => ({}),
  createAgentKey: async () => ({
    key: { id: "key_1", name: "k", createdAt: timestampFromMs(0) },
    secret: "svc_agt_x",
  }),
  listAgentKeys: async () => ({ keys: [] }),
  deleteAgentKey: async () => ({}),
  getQueue: async () => ({ queued: [] }),
  getAgent: async () => ({ agent: hired.agent }),
  startThread: async () => ({ threadId: "thr_1", status: "pending" }),
  getThread: async () => ({ thread: { id: "thr_1", status: "running", messagesJson: "[]" }, tag: "1" }),
  listThreads: async () => ({ threads: [] }),
  followUp: async () => ({ status: "running" }),
  cancelThread: async () => ({ status: "cancelled" }),
  withdrawThread: async () => ({ status: "cancelled" }),
  streamThreadEvents: async function* () {
    const json = '{"type":"thread-status","status":"completed"}';
    yield { events: [{ sequence: 1, type: "thread-status", json }] };
  },
};

const at = timestampFromMs(0);
const computer = { id: "cmp_1", name: "Rack", kind: "dedicated", os: "linux", state: "none", createdAt: at };
const token = { id: "key_1", name: "t", createdAt: at };

const computers: ScriptedComputers = {
  createComputer: async () => ({ computer }),
  listComputers: async () => ({ computers: [computer] }),
  getComputer: async () => ({ computer }),
  deleteComputer: async () => ({}),
  createComputerToken: async () => ({ token, secret: "svc_cmp_x", computerId: "cmp_1" }),
  listComputerTokens: async () => ({ tokens: [token] }),
  deleteComputerToken: async () => ({}),
};

const webhook = {
  id: "whk_1",
  revision: 1,
  projectId: "default",
  url: "https://a.example",
  createdAt: at,
  updatedAt: at,
};
const delivery = { id: "dlv_1", webhookId: "whk_1", eventId: "evt_1", type: "webhook.test", createdAt: at };

const webhooks: ScriptedWebhooks = {
  createWebhook: async () => ({ webhook, secret: "whsec_x" }),
  listWebhooks: async () => ({ webhooks: [webhook] }),
  getWebhook: async () => ({ webhook }),
  updateWebhook: async () => ({ webhook }),
  deleteWebhook: async () => ({}),
  rotateWebhookSecret: async () => ({ secret: "whsec_x" }),
  rotateCallbackSecret: async () => ({ secret: "whsec_x" }),
  testWebhook: async () => ({ delivery }),
  listDeliveries: async () => ({ deliveries: [delivery] }),
  replayDelivery: async () => ({ delivery }),
};

const hook = {
  ...{
    id: "hok_1",
    name: "a",
    message: "a",
    revision: 1,
    projectId: "default",
    agentId: "agt_1",
    config: {},
    createdAt: at,
    updatedAt: at,
  },
  verify: { type: "github" },
};
const hookDelivery = { id: "hdl_1", hookId: "hok_1", status: "accepted", createdAt: at };

const hooks: ScriptedHooks = {
  createHook: async () => ({ hook }),
  listHooks: async () => ({ hooks: [hook] }),
  getHook: async () => ({ hook }),
  updateHook: async () => ({ hook }),
  deleteHook: async () => ({}),
  listHookDeliveries: async () => ({ deliveries: [hookDelivery] }),
  replayHookDelivery: async () => ({ delivery: hookDelivery }),
  acceptDelivery: async () => ({ deliveryId: "hdl_1" }),
};

const scheduled = { name: "a", timezone: "UTC", message: "a", cron: "0 9 * * *" };
const schedule = { id: "sch_1", revision: 1, settings: scheduled, createdAt: at, updatedAt: at };
const scheduleRun = { id: "srn_1", scheduledAt: at, status: "fired", createdAt: at };

const schedules: ScriptedSchedules = {
  createSchedule: async () => ({ schedule }),
  listSchedules: async () => ({ schedules: [schedule] }),
  getSchedule: async () => ({ schedule }),
  updateSchedule: async () => ({ schedule }),
  deleteSchedule: async () => ({}),
  runSchedule: async () => ({ run: scheduleRun }),
  listScheduleRuns: async () => ({ runs: [scheduleRun] }),
};

/** Sent with each message of the current version of MCP. */
const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Valid messages of the dialects in JSON-RPC, to be damaged likewise. */
const rpcBodies: unknown[] = [
  {
    ...{ jsonrpc: "2.0", id: 1, method: "SendMessage" },
    params: {
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }], taskId: "thr_1" },
      configuration: { returnImmediately: true, historyLength: 1 },
    },
  },
  { jsonrpc: "2.0", id: "a", method: "ListTasks", params: { pageSize: 1, status: "TASK_STATE_FAILED" } },
  {
    ...{ jsonrpc: "2.0", id: 4, method: "tools/call" },
    params: { name: "muster_workforce_dispatch", arguments: { agentId: workerId, message: "hi" } },
  },
  {
    ...{ jsonrpc: "2.0", id: 5, method: "tools/call" },
    params: {
      ...{ name: "muster_workforce_read", _meta: modern },
      arguments: { agentId: workerId, threadId: "thr_1", wait: 0 },
    },
  },
  { jsonrpc: "2.0", id: 3, method: "SubscribeToTask", params: { id: "thr_1" } },
  { jsonrpc: "2.0", id: 2, method: "CancelTask", params: { id: "thr_1", historyLength: 1 } },
];

/** Likewise those about chats. */
const chatBodies: unknown[] = [
  {
    ...{ model: "muster/some-slug", stream: true, background: true },
    input: [
      { role: "user", content: [{ type: "input_text", text: "hi" }] },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "x" },
      { role: "user", content: "hi" },
    ],
    tools: [{ type: "function", name: "f", parameters: {} }],
  },
  {
    previous_response_id: "resp_ses_1.exe_1.msg_1..0.0.f.b25l",
    input: [{ type: "mcp_approval_response", approval_request_id: "apr_1", approve: true }],
  },
  {
    ...{ model: "muster/some-slug", stream: true, stream_options: { include_usage: true } },
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: "hi",
        tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "x" },
      { role: "user", content: "hi" },
    ],
    tools: [{ type: "function", function: { name: "f", parameters: {} } }],
  },
  {
    ...{ model: "muster/some-slug", metadata: { session_id: "ses_1" } },
    messages: [{ role: "tool", tool_call_id: "call.ses_1.exe_1.c", content: "x" }],
  },
  {
    ...{
      threadId: "t",
      runId: "r",
      tools: [{ name: "t", description: "d", parameters: { type: "object" } }],
    },
    messages: [
      {
        ...{ id: "m", role: "user" },
        content: [
          { type: "text", text: "hi" },
          { type: "image", source: { type: "url", value: "https://a.example/b", mimeType: "image/png" } },
        ],
      },
    ],
  },
  {
    ...{ threadId: "t", runId: "r" },
    messages: [
      { id: "m", role: "assistant", toolCalls: [{ id: "c" }] },
      { id: "n", role: "tool", toolCallId: "c", content: "{}" },
    ],
  },
  {
    ...{ threadId: "t", runId: "r", messages: [] },
    resume: [{ interruptId: "apr_1", status: "resolved", payload: { approved: true, args: {} } }],
  },
  {
    ...{ id: "chat-1", agentSlug: "a", trigger: "submit-message", messageId: "m" },
    messages: [
      {
        id: "m",
        role: "user",
        parts: [{ type: "file", url: "https://a.example/b", mediaType: "text/plain" }],
      },
    ],
  },
  {
    ...{ id: "chat-1", agentId: "agt_1" },
    messages: [
      {
        ...{ id: "m", role: "assistant" },
        parts: [
          { type: "tool-a", toolCallId: "c", state: "output-available", output: 1 },
          { type: "dynamic-tool", toolCallId: "d", state: "output-error", errorText: "No." },
          {
            type: "tool-b",
            state: "approval-responded",
            approval: { id: "apr_1", approved: true, reason: "Yes." },
          },
        ],
      },
    ],
  },
];

/** Valid bodies, to be damaged in one place. */
const goodBodies: unknown[] = [
  agentBody("some-slug"),
  { agentId: "agt_1", input: { A: "b" }, metadata: { plan: "free" } },
  {
    agentSlug: "a",
    idempotencyKey: "k",
    input: {},
    trigger: { triggerName: "go", input: { A: "b" }, onDisconnect: "continue" },
  },
  { metadata: { plan: "free", customer: null } },
  { messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }], status: "done" }] },
  {
    triggerName: "go",
    input: {},
    toolResults: [{ toolCallId: "c", toolName: "t", result: { a: 1 } }],
    rollbackAfterMessageId: "m",
    sender: { id: "u" },
    usage: true,
    dynamicToolSchemas: [{ name: "t", description: "d", inputSchema: {} }],
  },
  { type: "start", input: {}, dynamicToolSchemas: [{ name: "t", description: "d", inputSchema: {} }] },
  { type: "continue", executionId: "exe_1", toolResults: [{ toolCallId: "c", error: "No." }] },
  { agentId: "agt_1", sessionId: "ses_1", ttlSeconds: 60 },
  { token: "svc_et_x", maxUsd: 0.5 },
  { jti: "tok_1" },
  { url: "https://a.example", events: ["thread.failed"], description: null, enabled: true },
  { name: "k", permissions: ["sessions"], agentId: "agt_1", expiresAt: "2099-01-01T00:00:00Z" },
  {
    message: "m",
    files: [{ id: "file_1", mediaType: "text/plain", url: "https://example.com/a", size: 1 }],
    config: { model: "a/b", thinking: "low", capabilities: { a: true }, record: true },
    ifIdle: false,
  },
  {
    ...{ name: "Lou", prebuilt: "log-analyst", computer: { kind: "sandbox" }, settings: { thinking: "low" } },
    limits: { monthlyUsd: 0.5, monthlyTokens: null, monthlyRuns: 1 },
    ...{ input: {}, paused: false },
  },
  { name: "p", limits: { requestsPerMinute: 1, monthlyUsd: 1, workforceMonthlyRuns: null } },
  { settings: { name: "n", description: "" }, references: [{ name: "r", description: "d", content: "c" }] },
];

const oddText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "\0",
    "\ud800",
    "__proto__",
    "$where",
    "../..",
    "x".repeat(5_000),
    "1",
    "null",
    "agt_1",
    "some-slug",
  ),
);
const oddValue = fc.oneof(
  oddText,
  fc.jsonValue(),
  fc.constantFrom(-1, 1e308, 2 ** 53, true, null),
  fc.constant([] as unknown[]),
  fc.constant(Array.from({ length: 2_000 }, () => ({}))),
);

/** Puts `value` at a place picked by `choices`, or removes the value there. */
function damage(body: unknown, choices: number[], value: unknown): unknown {
  if (body === null || typeof body !== "object" || choices.length === 0) return value;
  const keys = Object.keys(body);
  const [choice = 0, ...rest] = choices;
  const key = keys[choice % Math.max(1, keys.length)] ?? "x";
  const changed = damage(Reflect.get(body, key), rest, value);
  if (Array.isArray(body)) return body.map((item, index) => (String(index) === key ? changed : item));
  return { ...body, [key]: changed };
}

const damaged = (bodies: readonly unknown[]) =>
  fc
    .tuple(fc.constantFrom(...bodies), fc.array(fc.nat(7), { maxLength: 4 }), oddValue)
    .map(([body, choices, value]) => JSON.stringify(damage(body, choices, value)));

const bodiesFrom = (bodies: readonly unknown[]) =>
  fc.oneof(
    { weight: 5, arbitrary: damaged(bodies) },
    { weight: 1, arbitrary: oddValue.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", "{", '{"a":1,"a":2}', '{"__proto__":{}}', "[".repeat(2_000)),
    },
  );

const headerText = fc.oneof(
  fc.string({ unit: "grapheme-ascii" }),
  fc.constantFrom("*", '"1"', '"0"', "application/json"),
);
const headers = fc.record(
  {
    "content-type": fc.oneof(
      { weight: 6, arbitrary: fc.constant("application/json") },
      { weight: 1, arbitrary: headerText },
    ),
    "content-encoding": fc.constantFrom("gzip", "identity", ""),
    accept: fc.oneof(
      fc.constantFrom("*/*", "application/json", "text/event-stream", "application/json, text/event-stream"),
      headerText,
    ),
    "mcp-method": fc.constantFrom("tools/call", "tools/list"),
    "mcp-name": fc.constantFrom("muster_workforce_read"),
    "mcp-protocol-version": fc.constantFrom("2026-07-28", "2025-11-25", "x"),
    cookie: fc.oneof(fc.constantFrom("muster-login=a", "muster-login-attempt=e30", ";=;"), headerText),
    origin: headerText,
    "sec-fetch-site": fc.constantFrom("same-origin", "cross-site", "x"),
    "x-muster-login": fc.constantFrom("1", "x"),
    "if-match": headerText,
    "x-request-id": headerText,
    "if-none-match": headerText,
    "idempotency-key": fc.oneof(fc.constantFrom("k"), headerText),
    "last-event-id": fc.oneof(fc.constantFrom("1"), headerText),
    "x-project-id": fc.oneof(fc.constantFrom("default"), headerText),
  },
  { requiredKeys: ["content-type"] },
);

const query = fc.array(
  fc.tuple(
    fc.constantFrom(
      "by",
      "version",
      "format",
      "limit",
      "cursor",
      "status",
      "metadata.plan",
      "wait",
      "after",
      "x",
    ),
    fc.oneof(fc.constantFrom("slug", "id", "ui", "0", "1"), oddText),
  ),
  { maxLength: 3 },
);

/** Routes whose errors are those of JSON-RPC. */
const rpcPaths = /^\/(api\/a2a\/|mcp)/;

const dialectPaths = /^\/(?:v1|mcp|api\/(?:a2a|ag-ui|ui))(?:\/|$)/;

const encode = (text: string) => encodeURIComponent(text.toWellFormed());

test("no generated request on any route gets a 5xx or a response outside the contract", async (t) => {
  const bus = createInProcessBus({ log: silentLogger });
  const directory = await mkdtemp(join(tmpdir(), "muster-hostile-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const files = { directory, keys: [new Secret("ab".repeat(32))], keepDays: 30 };
  const edge = await startEdge(
    t,
    sessions,
    { files },
    silentLogger,
    bus,
    workforce,
    [],
    recordings,
    computers,
    webhooks,
    hooks,
    schedules,
    { listAuditEntries: async () => ({}) },
  );
  const { key: workerKey } = await makeKey(edge, { permissions: ["workforce"], agentId: workerId });
  await until("it is ready", async () => (await edge.call("GET", "/readyz", { key: null })).status === 200);
  const agent = new Agent({ keepAlive: true });
  t.onTestFinished(() => agent.destroy());
  const { json: api } = await edge.call("GET", "/openapi.json");
  const routes = Object.entries<Record<string, unknown>>(api.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
  assert.ok(routes.length >= 20);

  const send = async (
    method: string,
    path: string,
    sent: Record<string, string>,
    body: string | Uint8Array,
  ) => {
    // Node does not send a length for bodies of GET and DELETE by itself; they would look like another request.
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const outgoing = request(edge.url + path, { method, agent, headers: { ...sent, ...length } });
    outgoing.end(body);
    const [response] = await once(outgoing, "response");
    let text = "";
    // The stream of changes ends with its reader.
    const isEndless = path.startsWith("/api/changes?") && response.statusCode === 200;
    if (isEndless) response.destroy();
    else for await (const chunk of response.setEncoding("utf8")) text += chunk;
    const answer: { status: number; headers: IncomingHttpHeaders; text: string } = {
      status: response.statusCode,
      headers: response.headers,
      text,
    };
    return answer;
  };

  const requestsOf = (some: typeof routes, body: fc.Arbitrary<string | Uint8Array>) => ({
    route: fc.constantFrom(...some),
    segment: fc.oneof(
      fc.constantFrom("agt_1", "ses_1", "some-slug", "key_1", "resp_ses_1.exe_1.msg_1..0.0.f.b25l"),
      oddText.filter((text) => text !== ""),
    ),
    query,
    headers,
    body,
  });
  const check = (some: typeof routes, bodies: fc.Arbitrary<string | Uint8Array>) => {
    const requests = fc.record(requestsOf(some, bodies));
    const property = fc.asyncProperty(requests, async ({ route, segment, query, headers, body }) => {
      const isWork = route.path.startsWith("/api/v1/workforce/");
      const own = isWork ? route.path.replace("{agentId}", workerId) : route.path;
      // A segment that is too long for any route is refused in the shape of the API.
      const fitting = dialectPaths.test(route.path) ? segment.slice(0, 80) : segment;
      const path = own.replace(/\{\w+\}/, encode(fitting));
      const search = query.map(([name, value]) => `${name}=${encode(value)}`).join("&");
      const sent = { ...printable(headers), authorization: `Bearer ${isWork ? workerKey : edge.adminKey}` };
      const answer = await send(route.method, `${path}?${search}`, sent, body);
      const where = `${route.method} ${path.slice(0, 100)}: ${answer.status} ${answer.text.slice(0, 300)}`;
      assert.ok(answer.status < 500, where);
      assert.ok(answer.headers["x-request-id"], where);
      await assertDocumented(edge.url, {
        ...{ method: route.method, path, status: answer.status, text: answer.text },
        headers: new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
      });
      if (route.method === "POST" && rpcPaths.test(route.path)) {
        if (answer.status < 400 && !answer.headers["content-type"]?.startsWith("application/json")) return;
        const { jsonrpc, error, result } = JSON.parse(answer.text);
        assert.equal(jsonrpc, "2.0", where);
        assert.ok(answer.status === 200 ? error || result : Number.isInteger(error.code), where);
        return;
      }
      if (answer.status < 400) return;
      assert.match(answer.headers["content-type"] ?? "", /^application\/json/, where);
      const refusal = JSON.parse(answer.text);
      const isOpenAi = route.path.startsWith("/v1/");
      if (isOpenAi) assert.deepEqual(Object.keys(refusal.error), ["message", "type", "param", "code"], where);
      const { error, code, requestId, ...rest } = isOpenAi
        ? {
            error: refusal.error.message,
            code: refusal.error.code,
            requestId: answer.headers["x-request-id"],
          }
        : refusal;
      assert.equal(typeof error, "string", where);
      assert.equal(Object.entries(statusOfCode).find(([name]) => name === code)?.[1], answer.status, where);
      assert.equal(requestId, answer.headers["x-request-id"], where);
      assert.ok(
        Object.keys(rest).every((key) => key === "issues"),
        where,
      );
    });
    return fc.assert(property, { numRuns: 200 * Number(process.env.LONG_RUN ?? 1) });
  };
  await check(routes, bodiesFrom(goodBodies));
  // Each dialect, with its own messages.
  for (const path of [`/api/a2a/${workerId}`, "/mcp"])
    await check([{ path, method: "POST" }], bodiesFrom(rpcBodies));
  for (const path of ["/v1/chat/completions", "/v1/responses", "/api/ui/chat", "/api/ag-ui/some-slug"])
    await check([{ path, method: "POST" }], bodiesFrom(chatBodies));
});

/** Header values that Node allows a client to send. */
function printable(headers: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = ""]) => [
    name,
    value.replaceAll(/[^\x20-\x7e]/g, ""),
  ]);
  return Object.fromEntries(entries);
}
