import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "@connectrpc/connect";
import type { AuthService } from "@muster/proto/auth";
import { type CallPrincipal, callOptions, hasPermission } from "@muster/rpc";
import type { FastifyReply, FastifyRequest } from "fastify";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import type { App } from "../edge/http/app.ts";
import { addressOf } from "../edge/http/client-ip.ts";
import type { KnownPaths } from "../edge/http/known-paths.ts";
import { lruCache } from "../edge/limits/lru-cache.ts";
import { type AccessRow, accessOf, type LimitedCredential } from "./access-table.ts";
import { type Authenticator, holdCredential, unauthenticated } from "./authenticator.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import type { Caller, Identity } from "./identity.ts";
import { loginOf } from "./login-cookie.ts";

export interface AccessOptions {
  authenticator: Authenticator;
  signCaller: (identity: Identity, projectId: string) => Caller;
  projectExists: ProjectExists;
  failedAttempts: FailedAttempts;
  /** The address of the server, if it is set: logins work for pages of its origin. */
  publicUrl: string | undefined;
}

/** Authenticates a request. Throws UNAUTHENTICATED, or RATE_LIMITED after too many wrong credentials. */
export async function authenticate(options: AccessOptions, request: FastifyRequest): Promise<Identity> {
  // A wrong header is an error, whatever the cookie: a client that sends one means it.
  const isBearer = request.headers.authorization !== undefined;
  const credential = isBearer ? bearerOf(request.raw) : loginOf(request, options.publicUrl);
  if (credential === undefined) throw unauthenticated();
  const identity = await identify(options, request, credential);
  request.credential = holdCredential(options.authenticator, identity, credential, request.id);
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
    failedAttempts.attempt(addressOf(request), check, order),
  );
}

function assertPermitted(principal: CallPrincipal, row: AccessRow): void {
  const { anyOf, grants, limited, onlyLimited } = row;
  const limitation = limitationOf(principal);
  // It has no permission.
  if (limitation === "computer-token") {
    if (limited.includes(limitation)) return;
    throw new HttpProblem("FORBIDDEN", refusals[limitation]);
  }
  if (!anyOf.some((permission) => hasPermission(principal, permission))) {
    throw new HttpProblem("FORBIDDEN", `This needs a key with the permission ${anyOf.join(" or ")}.`);
  }
  if (grants !== undefined && !hasPermission(principal, grants)) {
    const both = `the permissions ${anyOf.join(" or ")} and ${grants}`;
    throw new HttpProblem("FORBIDDEN", `This needs a key with ${both}: a key can grant only what it has.`);
  }
  if (limitation === undefined && onlyLimited)
    throw new HttpProblem("FORBIDDEN", limited.includes("computer-token") ? onlyComputers : onlyOwnKeys);
  if (limitation === undefined || limited.includes(limitation)) return;
  // Older keys for one agent can have this permission; new ones are refused.
  const isAdministration = anyOf.every((permission) => permission === "admin");
  throw new HttpProblem("FORBIDDEN", isAdministration ? neverAdministers : refusals[limitation]);
}

/** Whether a route accepts the credential, whatever the request names. */
export function mayUse(principal: CallPrincipal, row: AccessRow): boolean {
  try {
    assertPermitted(principal, row);
    return true;
  } catch {
    return false;
  }
}

const neverAdministers = "A credential for one agent cannot administer a project. Use a key without agentId.";

const onlyOwnKeys =
  "Only a key of the workforce agent itself can do this. With a key of the project, use /api/admin/workforce instead of /api/v1/workforce.";

const onlyComputers =
  "Only a token of the computer can connect it. Create one with POST /api/admin/workforce/agents/<AGENT_ID>/computer-tokens.";

const refusals: Readonly<Record<LimitedCredential, string>> = {
  "agent-key": "A key for one agent cannot do this. Use a key without agentId.",
  "workforce-key": "A key of a workforce agent can only use that agent. Use a key without agentId.",
  "agent-token": "A token cannot do this; it is valid only for sessions and executions. Use an API key.",
  "session-token": "A token for one session cannot do this; it can only use that session.",
  "computer-token": "A token of a computer can only connect that computer. Use an API key.",
};

function limitationOf(principal: CallPrincipal): LimitedCredential | undefined {
  const { agentId, sessionId, tokenId, computerId, permissions } = principal;
  if (computerId !== undefined) return "computer-token";
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

/** A parameter of a path or a query. */
export function textOf(values: unknown, name: string): unknown {
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

const bearer = /^bearer +([\x21-\x7e]{1,8192}) *$/i;

/**
 * The bearer credential of a request. `undefined` if it is missing, malformed, or if several
 * Authorization headers were sent: Node would silently take the first, a proxy in front perhaps the last.
 */
export function bearerOf(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || timesSent(request.rawHeaders, "authorization") > 1) return undefined;
  return bearer.exec(header)?.[1];
}

function timesSent(rawHeaders: readonly string[], name: string): number {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i];
    if (header?.length === name.length && header.toLowerCase() === name) times++;
  }
  return times;
}

/** Checks that a project exists. Projects are never removed, so a positive result is cached indefinitely. */
type ProjectExists = (projectId: string, asked: { principal: string; requestId: string }) => Promise<boolean>;

export function createProjectExists(
  auth: Pick<Client<typeof AuthService>, "listProjects">,
  timeoutMs: number,
): ProjectExists {
  const known = lruCache<true>(10_000);
  return async (projectId, { principal, requestId }) => {
    if (known.has(projectId)) return true;
    const { projects } = await auth.listProjects({}, callOptions({ principal, requestId, timeoutMs }));
    for (const { id } of projects) known.set(id, true);
    return projects.some(({ id }) => id === projectId);
  };
}

const exposed = "X-Request-Id, X-Session-Id, Retry-After";
/** How long browsers may remember a preflight: an origin that is removed from the settings is refused after that. */
const preflightSeconds = 600;
const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,1000}$/;

/**
 * Allows pages of these origins to use the routes that the access table opens to browsers, and pages of any origin
 * those whose address is the credential. Every response of such a route, also an error or a stream, says so. None allows
 * credentials, so that the cookie of a login never works for them.
 */
export function openToBrowsers(app: App, origins: readonly string[], paths: KnownPaths): void {
  const known = new Set(origins);
  app.addHook("onRequest", async (request, reply) => {
    const opening = openingOf(request, paths);
    if (opening === undefined || (opening === "known-origins" && known.size === 0)) return;
    const allowed = opening === "any-origin" ? "*" : request.headers.origin;
    // Set on the raw response, because streams bypass Fastify's headers.
    if (allowed !== "*") reply.raw.setHeader("vary", "Origin");
    if (allowed === undefined || (allowed !== "*" && !known.has(allowed))) return;
    allow(reply.raw, allowed);
    if (isPreflight(request)) return answerPreflight(request, reply, methodsFor(request.url, paths));
  });
}

/** A preflight, or any method that the path does not have, matches no route. */
function openingOf({ routeOptions, is404, url }: FastifyRequest, paths: KnownPaths): AccessRow["browsers"] {
  if (!is404) return routeOptions.config.access?.browsers;
  const [method = ""] = methodsFor(url, paths);
  return accessOf(method, paths.patternOf(url) ?? "")?.browsers;
}

/** The methods of the path that browsers may use. */
function methodsFor(url: string, paths: KnownPaths): string[] {
  const pattern = paths.patternOf(url);
  if (pattern === undefined) return [];
  return paths.methodsOf(url).filter((method) => accessOf(method, pattern)?.browsers !== undefined);
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", exposed);
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  const wanted = request.headers["access-control-request-headers"];
  reply.raw.appendHeader("vary", "Access-Control-Request-Headers");
  return reply
    .code(204)
    .headers({
      "access-control-allow-methods": methods.join(", "),
      "access-control-max-age": preflightSeconds,
      ...(wanted !== undefined && headerNames.test(wanted) && { "access-control-allow-headers": wanted }),
    })
    .send();
}

/** Whether the text is an origin exactly as browsers send it: `https://app.example.com`, with a port unless it is the default. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text && !text.includes("*");
}
