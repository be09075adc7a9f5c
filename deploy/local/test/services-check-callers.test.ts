import assert from "node:assert/strict";
import { AgentsService } from "@muster/proto/agents";
import { AuthService } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { SessionsService } from "@muster/proto/sessions";
import {
  type CallPrincipal,
  callOptions,
  createPrincipalSigner,
  permissions,
  platformPrincipal,
  readRpcError,
} from "@muster/rpc";
import { ManualClock, Secret, systemClock } from "@muster/service";
import { test } from "vitest";
import { echoAgent, startWorld, type World } from "./support/world.ts";

/** The response of a service to a caller; `ok` if it is served, which shows it nothing of others. */
type Answer =
  | "ok"
  | ("UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND")
  | ("PRINCIPAL_REFUSED" | "PRINCIPAL_EXPIRED");

interface Sample {
  message: Record<string, unknown>;
  /** To a caller of another project, who has every permission there. */
  foreign: Answer;
  /** To a key for another agent of the same project. */
  otherAgent: Answer;
}

interface Things {
  agentId: string;
  otherAgentId: string;
  sessionId: string;
  executionId: string;
  entryId: string;
  providerId: string;
  mcpServerId: string;
}

const named = { foreign: "NOT_FOUND", otherAgent: "FORBIDDEN" } as const;
const ofSession = { foreign: "NOT_FOUND", otherAgent: "NOT_FOUND" } as const;
const unnamed = { foreign: "ok", otherAgent: "ok" } as const;

function samples({
  agentId,
  sessionId,
  executionId,
  entryId,
  providerId,
  mcpServerId,
}: Things): Record<string, Sample> {
  const agent = { agent: { by: { case: "id", value: agentId } } };
  const { settings, ...rest } = echoAgent("intruder");
  const definition = { ...rest, settings: { slug: "intruder", name: "Echo", format: 1 } };
  const trigger = { sessionId, triggerName: "user-message", inputJson: '{"USER_MESSAGE":"Hi"}' };
  const provider = {
    ...{ name: "p", issuer: "https://idp.example", conditions: [{ claim: "sub", equals: ["s"] }] },
    scope: { agent: { case: "agentId", value: agentId } },
  };
  const ofOneAgent = { otherAgent: "FORBIDDEN" } as const;
  assert.equal(settings.format, "interactive");
  return {
    // The key of the caller does not exist, so it can neither make keys nor tokens.
    CreateApiKey: {
      message: { name: "k", permissions: ["sessions"] },
      foreign: "UNAUTHENTICATED",
      ...ofOneAgent,
    },
    MintToken: { message: { agentId }, foreign: "UNAUTHENTICATED", ...ofOneAgent },
    RevokeToken: { message: { by: { case: "tokenId", value: "tok_none" } }, ...unnamed },
    CreateLogin: { message: {}, foreign: "UNAUTHENTICATED", otherAgent: "UNAUTHENTICATED" },
    DeleteLogin: { message: { secret: "svc_log_none" }, foreign: "FORBIDDEN", ...ofOneAgent },
    ListApiKeys: { message: {}, foreign: "ok", ...ofOneAgent },
    UpdateApiKey: { message: { id: "key_bootstrap" }, foreign: "NOT_FOUND", otherAgent: "FORBIDDEN" },
    DeleteApiKey: { message: { id: "key_bootstrap" }, ...named },
    CreateProject: { message: { name: "p" }, foreign: "FORBIDDEN", ...ofOneAgent },
    UpdateProject: { message: { projectId: "default", name: "p" }, ...named },
    GetProjectLimits: { message: { projectId: "default" }, foreign: "FORBIDDEN", ...ofOneAgent },
    SetProviderKey: { message: { projectId: "default", provider: "openai", key: "sk-1" }, ...named },
    ListProviderKeys: { message: { projectId: "default" }, ...named },
    DeleteProviderKey: { message: { projectId: "default", provider: "openai" }, ...named },
    ResolveProviderKeys: { message: { projectId: "default" }, foreign: "FORBIDDEN", ...ofOneAgent },
    CreateIdentityProvider: { message: provider, foreign: "UNAUTHENTICATED", ...ofOneAgent },
    ListIdentityProviders: { message: {}, foreign: "ok", ...ofOneAgent },
    GetIdentityProvider: { message: { id: providerId }, ...named },
    UpdateIdentityProvider: { message: { id: providerId, name: "p" }, ...named },
    DeleteIdentityProvider: { message: { id: providerId }, ...named },
    CreateMcpServer: {
      message: { slug: "tracker", url: "https://mcp.example" },
      foreign: "NOT_FOUND",
      ...ofOneAgent,
    },
    ListMcpServers: { message: {}, foreign: "ok", ...ofOneAgent },
    ListMcpServerSlugs: { message: {}, foreign: "ok", ...ofOneAgent },
    GetMcpServer: { message: { id: mcpServerId }, ...named },
    UpdateMcpServer: { message: { id: mcpServerId, enabled: false }, ...named },
    DeleteMcpServer: { message: { id: mcpServerId }, ...named },
    SetToolSecret: { message: { projectId: "default", host: "tools.example" }, ...named },
    ListToolSecrets: { message: { projectId: "default" }, ...named },
    DeleteToolSecret: { message: { projectId: "default", host: "tools.example" }, ...named },
    ListProjects: { message: {}, foreign: "ok", ...ofOneAgent },
    CountRequests: { message: { counts: [{ bucket: "a", added: 1 }] }, foreign: "FORBIDDEN", ...ofOneAgent },
    CreateAgent: { message: { definition }, foreign: "ok", ...ofOneAgent },
    ValidateAgent: { message: { definition }, foreign: "ok", ...ofOneAgent },
    ListAgents: { message: {}, ...unnamed },
    GetAgent: { message: agent, ...named },
    UpdateAgent: { message: { ...agent, protocol: rest.protocol }, ...named },
    ArchiveAgent: { message: agent, ...named },
    ListAgentVersions: { message: agent, ...named },
    ResolveAgent: { message: agent, ...named },
    GetAgentHead: { message: { by: { case: "agentId", value: agentId } }, ...named },
    ListPrebuiltAgents: { message: {}, foreign: "ok", ...ofOneAgent },
    GetDefinition: { message: { agentId, version: 1 }, ...named },
    CreateSession: { message: { agentId }, ...named },
    StartSession: { message: { agentId, trigger }, ...named },
    LocateChat: { message: { agentId, chatId: "chat_1" }, foreign: "ok", ...ofOneAgent },
    LocateSession: { message: { sessionId }, ...ofSession },
    GetSession: { message: { sessionId }, ...ofSession },
    RestoreSession: { message: { sessionId, messagesJson: "[]" }, ...ofSession },
    ListSessions: { message: {}, ...unnamed },
    UpdateSession: { message: { sessionId, metadataJson: '{"a":"b"}' }, ...ofSession },
    ClearSession: { message: { sessionId }, ...ofSession },
    CancelExecution: { message: { sessionId }, ...ofSession },
    Trigger: { message: trigger, ...ofSession },
    ResumeExecution: { message: { sessionId, executionId }, ...ofSession },
    ExecuteWorker: {
      message: { agent: { case: "agentId", value: agentId }, command: { case: "start", value: {} } },
      ...named,
    },
    ReadSessionLog: { message: { sessionId }, ...ofSession },
    ReadLogEntry: { message: { sessionId, entryId }, ...ofSession },
    CheckModels: { message: { models: ["demo/echo"] }, ...unnamed },
    SumUsage: { message: { month: "2026-11" }, foreign: "FORBIDDEN", ...ofOneAgent },
    ReportUsage: {
      message: { from: "2026-11-01", to: "2026-11-30", groupBy: "key" },
      foreign: "ok",
      otherAgent: "FORBIDDEN",
    },
    CheckProviders: { message: {}, ...unnamed },
    ListNotices: { message: { limit: 10 }, foreign: "FORBIDDEN", otherAgent: "FORBIDDEN" },
    DropNotice: {
      message: { projectId: "default", documentId: "ses_none", noticeId: "evt_none" },
      ...{ foreign: "FORBIDDEN", otherAgent: "FORBIDDEN" },
    },
    TestMcpServer: { message: { id: mcpServerId }, ...named },
    ListApprovals: { message: { agentId, sessionId }, foreign: "ok", ...ofOneAgent },
    GetApproval: { message: { id: "apr_none" }, ...ofSession },
    DecideApproval: { message: { id: "apr_none", decision: "deny" }, ...ofSession },
    AnswerToolCall: { message: { callId: "call_none" }, foreign: "FORBIDDEN", ...ofOneAgent },
  };
}

const all = new Set(permissions);
const project = { projectId: "default", keyId: "key_none", anyProject: false };

/** RPCs that only the platform itself may call. */
const ofPlatform = new Set([
  ...["CountRequests", "GetProjectLimits", "ResolveProviderKeys", "ListNotices", "DropNotice"],
]);

/** RPCs that those who hire and dispatch workforce agents may call. */
const servesWorkforce = new Set(["GetAgentHead", "ListPrebuiltAgents", "GetDefinition"]);

/** RPCs for keys for one agent that no token may call. */
const refusesTokens = new Set([
  "CreateLogin",
  "LocateSession",
  "UpdateSession",
  "ReadSessionLog",
  "ReadLogEntry",
]);

/** RPCs about an approval, which does not exist for a token of another session. */
const ofApproval = new Set(["GetApproval", "DecideApproval"]);

/** Each principal, signed, with the services' responses to it. */
function principals({ otherAgentId }: Things, { signer }: World) {
  const forger = createPrincipalSigner([new Secret("f".repeat(32))], systemClock);
  const past = new ManualClock(Date.now() - 120_000);
  const late = createPrincipalSigner([new Secret("0123456789abcdef0123456789abcdef")], past);
  const own: CallPrincipal = { ...project, permissions: all };
  // With every permission, which no such credential should have: the limit to one agent prevails.
  const other: CallPrincipal = { ...own, agentId: otherAgentId };
  const token: CallPrincipal = { ...other, tokenId: "tok_1" };
  const refused = (): Answer => "PRINCIPAL_REFUSED";
  const forbidden = (): Answer => "FORBIDDEN";
  return [
    { name: "no principal", signed: undefined, expect: (): Answer => "UNAUTHENTICATED" },
    { name: "nonsense", signed: "p1.e30.e30", expect: refused },
    { name: "a forged principal", signed: forger.sign(own), expect: refused },
    {
      name: "a principal that was signed two minutes ago",
      signed: late.sign(own),
      expect: (): Answer => "PRINCIPAL_EXPIRED",
    },
    {
      name: "a key of another project",
      signed: signer.sign({ ...own, projectId: "prj_other" }),
      expect: ({ foreign }: Sample) => foreign,
    },
    {
      name: "a key without permissions",
      signed: signer.sign({ ...own, permissions: new Set() }),
      expect: forbidden,
    },
    {
      name: "a key with the permission workforce alone",
      signed: signer.sign({ ...own, permissions: new Set(["workforce"]) }),
      expect: (_sample: Sample, rpc: string): Answer =>
        rpc === "CreateLogin" ? "UNAUTHENTICATED" : servesWorkforce.has(rpc) ? "ok" : "FORBIDDEN",
    },
    {
      name: "a key for another agent",
      signed: signer.sign(other),
      expect: ({ otherAgent }: Sample) => otherAgent,
    },
    {
      name: "a token for another agent",
      signed: signer.sign(token),
      expect: ({ otherAgent }: Sample, rpc: string): Answer =>
        otherAgent === "ok" || refusesTokens.has(rpc) ? "FORBIDDEN" : otherAgent,
    },
    {
      name: "a token for another session",
      signed: signer.sign({ ...token, sessionId: "ses_other" }),
      expect: (_sample: Sample, rpc: string): Answer => (ofApproval.has(rpc) ? "NOT_FOUND" : "FORBIDDEN"),
    },
    {
      name: "the platform itself",
      signed: signer.sign(platformPrincipal),
      expect: (_sample: Sample, rpc: string): Answer =>
        ["AnswerToolCall", "DeleteLogin"].includes(rpc)
          ? "UNAUTHENTICATED"
          : ofPlatform.has(rpc)
            ? "ok"
            : "FORBIDDEN",
    },
  ];
}

type Call = (message: unknown, options: unknown) => Promise<unknown> | AsyncIterable<unknown>;

function isCall(value: unknown): value is Call {
  return typeof value === "function";
}

async function answerOf(
  call: Call,
  message: unknown,
  principal: string | undefined,
): Promise<Answer | string> {
  const options = callOptions({ requestId: "req_1", ...(principal === undefined ? {} : { principal }) });
  try {
    const response = call(message, options);
    if (Symbol.asyncIterator in response) for await (const _part of response) break;
    else await response;
    return "ok";
  } catch (error) {
    const { reason, message: text } = readRpcError(error);
    const name = Object.entries(Reason).find(([, value]) => value === reason)?.[0];
    return name === "UNSPECIFIED" ? text : String(name);
  }
}

test("each service checks the caller of each call itself, whatever the gateway has let through", async (t) => {
  const world = await startWorld(t);
  const { client, clients } = world;
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", echoAgent("one"));
  const otherAgentId = await client.field("agentId", 201, "POST", "/api/agents", echoAgent("two"));
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const events = await client.trigger(sessionId, {
    triggerName: "user-message",
    input: { USER_MESSAGE: "Hi" },
  });
  const log = await client.json(200, "GET", `/api/agent-sessions/${sessionId}/logs`);
  const { id: providerId } = await client.json(201, "POST", "/api/admin/identity-providers", {
    ...{ name: "CI", issuer: "https://idp.example", conditions: [{ claim: "sub", equals: ["s"] }] },
    scope: { agentId },
  });
  const mcpServer = { slug: "issues", url: "https://mcp.example" };
  const things: Things = {
    ...{ agentId, otherAgentId, sessionId },
    executionId: String(events[0]?.executionId),
    entryId: String(Array.isArray(log.entries) && log.entries[0].id),
    providerId: String(providerId),
    mcpServerId: await client.field("id", 201, "POST", "/api/admin/mcp-servers", mcpServer),
  };
  const before = await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
  const known = samples(things);
  const failures: string[] = [];
  for (const [service, client] of [
    [AuthService, clients.auth],
    [AgentsService, clients.agents],
    [SessionsService, clients.sessions],
  ] as const) {
    for (const { name: rpc, localName } of service.methods) {
      // It turns a credential into a principal.
      if (rpc === "Authenticate") continue;
      const sample = known[rpc];
      assert.ok(sample, `${rpc} has no sample in this test`);
      const call: unknown = Reflect.get(client, localName);
      assert.ok(isCall(call));
      for (const { name, signed, expect } of principals(things, world)) {
        const expected = expect(sample, rpc);
        const answer = await answerOf(call, sample.message, signed);
        if (answer !== expected) failures.push(`${rpc} by ${name}: ${answer}, expected ${expected}`);
      }
    }
  }
  assert.deepEqual(failures, []);
  assert.deepEqual(await client.json(200, "GET", `/api/agent-sessions/${sessionId}`), before);
});
