import type { CallPrincipal, Permission } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import { clientKey } from "../http/client-ip.ts";
import { type Authenticator, type Identity, unauthenticated } from "./authenticator.ts";
import { bearerOf } from "./bearer.ts";
import type { Caller } from "./caller.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import { RequestCredential } from "./held-credential.ts";
import type { ProjectExists } from "./projects.ts";

/** Who may use a route: everyone, or callers with any of the permissions. */
export type Access = "public" | readonly [Permission, ...Permission[]];

export interface AccessOptions {
  authenticator: Authenticator;
  signCaller: (identity: Identity, projectId: string) => Caller;
  projectExists: ProjectExists;
  failedAttempts: FailedAttempts;
}

/** Authenticates a request and checks the permissions that its route requires. Throws UNAUTHENTICATED, RATE_LIMITED, FORBIDDEN or NOT_FOUND. */
export async function admit(
  options: AccessOptions,
  request: FastifyRequest,
  anyOf: readonly Permission[],
): Promise<Caller> {
  const credential = bearerOf(request.raw);
  if (credential === undefined) throw unauthenticated();
  const identity = await identify(options, request, credential);
  request.credential = new RequestCredential(options.authenticator, identity, credential, request.id);
  const { principal } = identity;
  assertPermitted(principal, anyOf);
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
  return authenticator.authenticate(credential, request.id, (check) =>
    failedAttempts.attempt(clientKey(request.ip, request.socket.remoteAddress), check),
  );
}

function assertPermitted({ permissions, agentId }: CallPrincipal, anyOf: readonly Permission[]): void {
  const held = anyOf.filter((permission) => permissions.has(permission));
  if (held.length === 0) {
    throw new HttpProblem("FORBIDDEN", `This needs a key with the permission ${anyOf.join(" or ")}.`);
  }
  // Older keys can have both; new ones are refused.
  if (agentId !== undefined && held.every((permission) => permission === "admin")) {
    throw new HttpProblem("FORBIDDEN", "A key for one agent never administers. Use a key without agentId.");
  }
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
