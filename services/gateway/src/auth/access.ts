import { type CallPrincipal, hasPermission } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { clientKey } from "../edge/http/client-ip.ts";
import type { AccessRow, LimitedCredential } from "./access-table.ts";
import { type Authenticator, unauthenticated } from "./authenticator.ts";
import { bearerOf } from "./bearer.ts";
import type { Caller } from "./caller.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import type { Identity } from "./identity.ts";
import type { ProjectExists } from "./project-exists.ts";
import { RequestCredential } from "./request-credential.ts";

export interface AccessOptions {
  authenticator: Authenticator;
  signCaller: (identity: Identity, projectId: string) => Caller;
  projectExists: ProjectExists;
  failedAttempts: FailedAttempts;
}

/** Authenticates a request. Throws UNAUTHENTICATED, or RATE_LIMITED after too many wrong credentials. */
export async function authenticate(options: AccessOptions, request: FastifyRequest): Promise<Identity> {
  const credential = bearerOf(request.raw);
  if (credential === undefined) throw unauthenticated();
  const identity = await identify(options, request, credential);
  request.credential = new RequestCredential(options.authenticator, identity, credential, request.id);
  return identity;
}

/** Checks the requirements of the route for an authenticated request. Throws FORBIDDEN or NOT_FOUND. */
export async function authorize(
  options: AccessOptions,
  request: FastifyRequest,
  row: AccessRow,
  identity: Identity,
): Promise<Caller> {
  const { principal } = identity;
  assertPermitted(principal, row);
  assertInScope(principal, row, request);
  const { projectId } = principal;
  const wanted = request.headers["x-project-id"];
  if (wanted === undefined || wanted === projectId) return options.signCaller(identity, projectId);
  return inOtherProject(options, identity, String(wanted), request.id);
}

function identify(
  { authenticator, failedAttempts }: AccessOptions,
  request: FastifyRequest,
  credential: string,
): Promise<Identity> {
  return authenticator.authenticate(credential, request.id, (check, order) =>
    failedAttempts.attempt(clientKey(request.ip, request.socket.remoteAddress), check, order),
  );
}

function assertPermitted(principal: CallPrincipal, row: AccessRow): void {
  const { anyOf, grants, limited, onlyLimited } = row;
  if (!anyOf.some((permission) => hasPermission(principal, permission))) {
    throw new HttpProblem("FORBIDDEN", `This needs a key with the permission ${anyOf.join(" or ")}.`);
  }
  if (grants !== undefined && !hasPermission(principal, grants)) {
    const both = `the permissions ${anyOf.join(" or ")} and ${grants}`;
    throw new HttpProblem("FORBIDDEN", `This needs a key with ${both}: a key can grant only what it has.`);
  }
  const limitation = limitationOf(principal);
  if (limitation === undefined && onlyLimited) throw new HttpProblem("FORBIDDEN", onlyOwnKeys);
  if (limitation === undefined || limited.includes(limitation)) return;
  // Older keys for one agent can have this permission; new ones are refused.
  const isAdministration = anyOf.every((permission) => permission === "admin");
  throw new HttpProblem("FORBIDDEN", isAdministration ? neverAdministers : refusals[limitation]);
}

const neverAdministers = "A credential for one agent never administers. Use a key without agentId.";

const onlyOwnKeys =
  "Only a key of the workforce agent itself can do this. Create one with POST /api/admin/workforce/agents/{id}/keys.";

const refusals: Readonly<Record<LimitedCredential, string>> = {
  "agent-key": "A key for one agent cannot do this. Use a key without agentId.",
  "workforce-key": "A key of a workforce agent can only use that agent. Use a key without agentId.",
  "agent-token": "A token cannot do this; it is valid only for sessions and executions. Use an API key.",
  "session-token": "A token for one session cannot do this; it can only use that session.",
};

function limitationOf(principal: CallPrincipal): LimitedCredential | undefined {
  const { agentId, sessionId, tokenId, permissions } = principal;
  if (sessionId !== undefined) return "session-token";
  if (tokenId !== undefined) return "agent-token";
  if (agentId === undefined) return undefined;
  // Keys for other agents can have this permission beside others, from an earlier release.
  return permissions.size === 1 && permissions.has("workforce") ? "workforce-key" : "agent-key";
}

/** The owner of the resource that the path names. The services check what the body names, and all of it again. */
function assertInScope(
  { agentId, sessionId }: CallPrincipal,
  { session, agent }: AccessRow,
  { params, query }: FastifyRequest,
): void {
  if (sessionId !== undefined && session !== undefined && textOf(params, session) !== sessionId) {
    throw new HttpProblem("FORBIDDEN", `This credential is valid only for the session ${sessionId}.`);
  }
  if (agentId === undefined || agent === undefined || textOf(query, "by") === "slug") return;
  if (textOf(params, agent) !== agentId) {
    throw new HttpProblem("FORBIDDEN", `This credential is valid only for the agent ${agentId}.`);
  }
}

function textOf(values: unknown, name: string): unknown {
  return typeof values === "object" && values !== null ? Reflect.get(values, name) : undefined;
}

async function inOtherProject(
  { signCaller, projectExists }: AccessOptions,
  identity: Identity,
  projectId: string,
  requestId: string,
): Promise<Caller> {
  const { principal } = identity;
  if (!principal.anyProject) {
    throw new HttpProblem("FORBIDDEN", "This key works only in its own project; omit X-Project-Id.");
  }
  const home = signCaller(identity, principal.projectId);
  if (!(await projectExists(projectId, { principal: home.signed, requestId }))) {
    throw new HttpProblem("NOT_FOUND", "The project in X-Project-Id does not exist.");
  }
  return signCaller(identity, projectId);
}
