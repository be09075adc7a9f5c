import { type Permission, permissions } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import type { App } from "../edge/http/app.ts";

/**
 * Credentials that are limited: a key for one agent, a key of a workforce agent, a token for the sessions of one agent, a
 * token for one session; tokens are ephemeral or of an identity provider; and a token of a computer. Every other credential is a key
 * for a whole project.
 */
export const limitedCredentials = [
  "agent-key",
  "workforce-key",
  "agent-token",
  "session-token",
  "computer-token",
] as const;
export type LimitedCredential = (typeof limitedCredentials)[number];

/** Who may use a route. */
export interface AccessRow {
  /** Any one of them is enough. Empty: everyone, without a credential. */
  readonly anyOf: readonly Permission[];
  /** The permission that the route hands on to a new credential: a key needs it besides, as it can grant only its own. */
  readonly grants?: Permission;
  /** The limited credentials that may use it as well. */
  readonly limited: readonly LimitedCredential[];
  /** True if only these may use it, and no key for a whole project. */
  readonly onlyLimited?: true;
  /** The path parameter that names the session. A token for one session may name only that one. */
  readonly session?: string;
  /** The path parameter that names the agent, unless the query says `by=slug`. A limited credential may name only its own. */
  readonly agent?: string;
  /** True if a signed URL, or a public resource, needs no credential: the route asks for one where it does. */
  readonly orSigned?: true;
  /** Whose pages may use it: of the configured origins, or of any, because the address is the credential. Absent: none. */
  readonly browsers?: "known-origins" | "any-origin";
}

const open: AccessRow = { anyOf: [], limited: [] };
const signed: AccessRow = { ...open, browsers: "any-origin" };
const admin: AccessRow = { anyOf: ["admin"], limited: [] };
const readDefinitions: AccessRow = { anyOf: ["agents", "sessions"], limited: ["agent-key"] };
const writeDefinitions: AccessRow = { anyOf: ["agents"], limited: [] };
/** For every key, whatever its permissions. */
const everyKey: AccessRow = { anyOf: permissions, limited: ["agent-key", "workforce-key"] };
/** Not for tokens: none mints or revokes another. */
const revokeTokens: AccessRow = { anyOf: ["mint-tokens"], limited: ["agent-key"] };
const mintTokens: AccessRow = { ...revokeTokens, grants: "sessions" };
/** Not for tokens: it shows or changes more than a conversation. */
const manageSessions: AccessRow = { anyOf: ["sessions"], limited: ["agent-key"], browsers: "known-origins" };
/** Drives the session in the body. */
const forSession: AccessRow = {
  anyOf: ["sessions"],
  limited: ["agent-key", "agent-token", "session-token"],
  browsers: "known-origins",
};
/** Not for tokens for an agent, which never have the permission. */
const approve: AccessRow = {
  anyOf: ["approve"],
  limited: ["agent-key", "session-token"],
  browsers: "known-origins",
};
/** Drives the session in the path. */
const driveSession: AccessRow = { ...forSession, session: "sessionId" };
const startSomething: AccessRow = {
  anyOf: ["sessions"],
  limited: ["agent-key", "agent-token"],
  browsers: "known-origins",
};
/** The work of one agent, which only its own keys can see and direct. */
const ownWork: AccessRow = {
  anyOf: ["workforce"],
  limited: ["workforce-key"],
  onlyLimited: true,
  agent: "agentId",
};
/** A video of the work of one agent. */
const watch: AccessRow = {
  anyOf: ["workforce"],
  limited: ["workforce-key"],
  onlyLimited: true,
  orSigned: true,
};
/** Any permission is enough to learn that something has changed. */
const followChanges: AccessRow = { anyOf: permissions, limited: [] };
/** The connection of one computer, which only its own tokens open. */
const connect: AccessRow = { anyOf: permissions, limited: ["computer-token"], onlyLimited: true };
/** Likewise, for its own keys and for those that manage the project's agents. */
const workOfAgent: AccessRow = { anyOf: ["workforce"], limited: ["workforce-key"], agent: "agentId" };
const manageWorkforce: AccessRow = { anyOf: ["workforce"], limited: [] };

/**
 * The access to every route, by method and path. Routes, the OpenAPI document and the table in docs/access.md follow from
 * it; a route without a row stops the start. HEAD has the row of GET. The services check each call again.
 */
export const accessTable: Readonly<Record<string, AccessRow>> = {
  "POST /api/agent-sessions": startSomething,
  "POST /api/agent-sessions/start": startSomething,
  "GET /api/agent-sessions": manageSessions,
  "GET /api/agent-sessions/:sessionId": driveSession,
  "PATCH /api/agent-sessions/:sessionId": manageSessions,
  "DELETE /api/agent-sessions/:sessionId": driveSession,
  "GET /api/agent-sessions/:sessionId/logs": manageSessions,
  "GET /api/agent-sessions/:sessionId/logs/:entryId": manageSessions,
  "POST /api/agent-sessions/:sessionId/restore": driveSession,
  "POST /api/agent-sessions/:sessionId/trigger": driveSession,
  "POST /api/agent-sessions/:sessionId/cancel": driveSession,
  "GET /api/agent-sessions/:sessionId/executions/:executionId/events": driveSession,

  "GET /api/approvals": approve,
  "GET /api/approvals/:approvalId": approve,
  "POST /api/approvals/:approvalId": approve,

  // The signature of its body is the credential.
  "POST /api/tool-calls/:callId/result": open,

  // The signature of the sender is the credential.
  "POST /hooks/:hookId": open,

  // Dialects.
  "POST /api/ui/chat": forSession,
  "GET /api/ui/chat/:id/stream": forSession,
  "POST /api/ui/chat/:id/cancel": forSession,
  "POST /api/ag-ui/:agent": forSession,

  "GET /api/agents": readDefinitions,
  "POST /api/agents": writeDefinitions,
  "POST /api/agents/validate": writeDefinitions,
  "GET /api/agents/:id": { ...readDefinitions, agent: "id" },
  "PATCH /api/agents/:id": writeDefinitions,
  "DELETE /api/agents/:id": writeDefinitions,
  "GET /api/agents/:id/versions": { ...readDefinitions, agent: "id" },
  "POST /api/agents/:id/execute": { ...startSomething, agent: "id" },

  "POST /api/files/upload-urls": forSession,
  // Their signature is the credential.
  "PUT /api/files/:fileId": signed,
  "GET /api/files/:fileId": signed,

  "POST /api/tokens": mintTokens,
  "POST /api/tokens/revoke": revokeTokens,

  "POST /api/logins": everyKey,
  // Its cookie is the credential.
  "DELETE /api/logins/current": open,
  "GET /api/logins/ways": open,
  "GET /api/logins/oidc": open,
  // The identity provider's code is the credential.
  "GET /api/logins/oidc/callback": open,

  "GET /api/usage": admin,
  "GET /api/admin/audit": admin,
  "GET /api/admin/keys": admin,
  "POST /api/admin/keys": admin,
  "PATCH /api/admin/keys/:id": admin,
  "DELETE /api/admin/keys/:id": admin,
  "GET /api/admin/projects": admin,
  "POST /api/admin/projects": admin,
  "PATCH /api/admin/projects/:id": admin,
  "GET /api/admin/projects/:projectId/provider-keys": admin,
  "PUT /api/admin/projects/:projectId/provider-keys/:provider": admin,
  "DELETE /api/admin/projects/:projectId/provider-keys/:provider": admin,
  "GET /api/admin/projects/:projectId/tool-secrets": admin,
  "PUT /api/admin/projects/:projectId/tool-secrets/:host": admin,
  "DELETE /api/admin/projects/:projectId/tool-secrets/:host": admin,
  "GET /api/admin/identity-providers": admin,
  "POST /api/admin/identity-providers": admin,
  "GET /api/admin/identity-providers/:id": admin,
  "PATCH /api/admin/identity-providers/:id": admin,
  "DELETE /api/admin/identity-providers/:id": admin,
  "GET /api/admin/mcp-servers": admin,
  "POST /api/admin/mcp-servers": admin,
  "GET /api/admin/mcp-servers/:id": admin,
  "PATCH /api/admin/mcp-servers/:id": admin,
  "DELETE /api/admin/mcp-servers/:id": admin,
  "POST /api/admin/mcp-servers/:id/test": admin,
  "GET /api/admin/webhooks": admin,
  "POST /api/admin/webhooks": admin,
  "GET /api/admin/webhooks/:id": admin,
  "PATCH /api/admin/webhooks/:id": admin,
  "DELETE /api/admin/webhooks/:id": admin,
  "POST /api/admin/webhooks/:id/rotate": admin,
  "POST /api/admin/webhooks/:id/test": admin,
  "GET /api/admin/webhooks/:id/deliveries": admin,
  "POST /api/admin/webhooks/:id/deliveries/:deliveryId/replay": admin,
  "POST /api/admin/projects/:projectId/callback-secret": admin,

  "GET /api/v1/workforce/agents/:agentId": ownWork,
  "GET /api/v1/workforce/agents/:agentId/threads": ownWork,
  "POST /api/v1/workforce/agents/:agentId/threads": ownWork,
  "GET /api/v1/workforce/agents/:agentId/threads/:threadId": ownWork,
  "DELETE /api/v1/workforce/agents/:agentId/threads/:threadId": ownWork,
  "POST /api/v1/workforce/agents/:agentId/threads/:threadId/messages": ownWork,
  "POST /api/v1/workforce/agents/:agentId/threads/:threadId/cancel": ownWork,
  "GET /api/v1/workforce/agents/:agentId/threads/:threadId/events": ownWork,
  "DELETE /api/v1/workforce/agents/:agentId/threads/:threadId/recording": ownWork,
  "POST /api/v1/workforce/agents/:agentId/files": ownWork,

  "GET /api/a2a/:agentId/.well-known/agent-card.json": workOfAgent,
  "POST /api/a2a/:agentId": workOfAgent,
  "GET /api/v1/computers/connect": connect,

  "GET /r/:recordingId": watch,
  "GET /r/:recordingId.webm": watch,
  "GET /r/:recordingId/chapters.vtt": watch,
  "GET /r/:recordingId/transcript.vtt": watch,

  "GET /api/admin/workforce/prebuilt": manageWorkforce,
  "GET /api/admin/workforce/agents": manageWorkforce,
  "POST /api/admin/workforce/agents": manageWorkforce,
  "GET /api/admin/workforce/agents/:id": manageWorkforce,
  "PATCH /api/admin/workforce/agents/:id": manageWorkforce,
  "DELETE /api/admin/workforce/agents/:id": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/keys": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/keys": manageWorkforce,
  "DELETE /api/admin/workforce/agents/:id/keys/:keyId": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/schedules": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/schedules": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/schedules/:scheduleId": manageWorkforce,
  "PATCH /api/admin/workforce/agents/:id/schedules/:scheduleId": manageWorkforce,
  "DELETE /api/admin/workforce/agents/:id/schedules/:scheduleId": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/schedules/:scheduleId/run": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/schedules/:scheduleId/pause": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/schedules/:scheduleId/resume": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/schedules/:scheduleId/runs": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/computer-tokens": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/computer-tokens": manageWorkforce,
  "DELETE /api/admin/workforce/agents/:id/computer-tokens/:tokenId": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/hooks": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/hooks": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/hooks/:hookId": manageWorkforce,
  "PATCH /api/admin/workforce/agents/:id/hooks/:hookId": manageWorkforce,
  "DELETE /api/admin/workforce/agents/:id/hooks/:hookId": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/hooks/:hookId/deliveries": manageWorkforce,
  "POST /api/admin/workforce/agents/:id/hooks/:hookId/deliveries/:deliveryId/replay": manageWorkforce,
  "GET /api/admin/workforce/agents/:id/queue": manageWorkforce,
  "GET /api/admin/workforce/threads": manageWorkforce,
  "GET /api/admin/workforce/agents/:agentId/threads": manageWorkforce,
  "POST /api/admin/workforce/agents/:agentId/threads": manageWorkforce,
  "GET /api/admin/workforce/agents/:agentId/threads/:threadId": manageWorkforce,
  "DELETE /api/admin/workforce/agents/:agentId/threads/:threadId": manageWorkforce,
  "POST /api/admin/workforce/agents/:agentId/threads/:threadId/messages": manageWorkforce,
  "POST /api/admin/workforce/agents/:agentId/threads/:threadId/cancel": manageWorkforce,
  "GET /api/admin/workforce/agents/:agentId/threads/:threadId/events": manageWorkforce,
  "DELETE /api/admin/workforce/agents/:agentId/threads/:threadId/recording": manageWorkforce,
  "POST /api/admin/workforce/agents/:agentId/files": manageWorkforce,

  "GET /api/admin/computers": manageWorkforce,
  "POST /api/admin/computers": manageWorkforce,
  "GET /api/admin/computers/:id": manageWorkforce,
  "DELETE /api/admin/computers/:id": manageWorkforce,
  "GET /api/admin/computers/:id/tokens": manageWorkforce,
  "POST /api/admin/computers/:id/tokens": manageWorkforce,
  "DELETE /api/admin/computers/:id/tokens/:tokenId": manageWorkforce,

  "POST /v1/chat/completions": forSession,
  "POST /v1/responses": forSession,
  "GET /v1/responses/:responseId": forSession,
  "POST /v1/responses/:responseId/cancel": forSession,
  "GET /v1/models": readDefinitions,
  "GET /v1/models/:model": readDefinitions,

  "POST /mcp": everyKey,
  "GET /api/changes": followChanges,
  "GET /api/credential": everyKey,
  "GET /api/providers": { anyOf: ["sessions", "agents"], limited: ["agent-key"] },

  "GET /agents/:id": open,
  "GET /sessions/:id": open,
  "GET /api/models": open,
  "GET /schemas/protocol.json": open,
  "GET /schemas/settings.json": open,
  "GET /healthz": open,
  "GET /readyz": open,
  "GET /openapi.json": open,
  "GET /console": open,
  "GET /console/*": open,
  "GET /docs": open,
  "GET /docs/": open,
  "GET /docs/viewer.js": open,
};

/** The row of a route; undefined if it has none. */
export function accessOf(method: string, path: string): AccessRow | undefined {
  const name = `${method === "HEAD" ? "GET" : method} ${path}`;
  return Object.hasOwn(accessTable, name) ? accessTable[name] : undefined;
}

/**
 * Gives every route its row of the table, also those of plugins. The function that it returns lists the routes that were
 * added, and throws if one has no row: throwing while a plugin adds it would never reach the caller.
 */
export function setAccess(app: App): () => readonly string[] {
  const added: string[] = [];
  const without: string[] = [];
  app.addHook("onRoute", (route) => {
    for (const method of [route.method].flat()) {
      const access = accessOf(method, route.url);
      added.push(`${method} ${route.url}`);
      if (access === undefined) without.push(`${method} ${route.url}`);
      else route.config = { ...route.config, access };
    }
  });
  return () => {
    if (without.length === 0) return added;
    throw new Error(`These routes have no row in the access table: ${without.join(", ")}`);
  };
}

/** The row of the request's route, which every route has. */
export function rowOf({ routeOptions }: Pick<FastifyRequest, "routeOptions">): AccessRow {
  const { access } = routeOptions.config;
  if (access === undefined)
    throw new Error(`${routeOptions.url} was added without a row in the access table`);
  return access;
}

/** Whether everyone may use the route, without a credential. */
export function isOpen({ anyOf }: AccessRow): boolean {
  return anyOf.length === 0;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route's row of the table. Set for every route when it is added; routes never set it. */
    access?: AccessRow;
  }
}
