import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FederatedScope, FederatedScopeSchema, IdentityProvider } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import type { FastifyRequest } from "fastify";
import { callFor, type GatewayContext } from "../../context.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import type { scopeBody } from "../../schemas/identity-providers.ts";
import { isoOf } from "../../schemas/iso.ts";
import { agentOf, findAgent } from "../agents/agent-named.ts";

type ScopeBody = Static<typeof scopeBody>;

/** The public fields of an identity provider. */
export function identityProviderJson(provider: IdentityProvider | undefined) {
  if (provider?.scope === undefined) throw internalProblem(new Error("The identity provider is incomplete"));
  return {
    id: provider.id,
    projectId: provider.projectId,
    name: provider.name,
    issuer: provider.issuer,
    audience: provider.audience,
    jwksUri: provider.jwksUri ?? null,
    algorithms: provider.algorithms,
    maxLifetimeSeconds: provider.maxLifetimeSeconds,
    conditions: provider.conditions.map(({ claim, equals, startsWith }) =>
      startsWith === undefined ? { claim, equals } : { claim, startsWith },
    ),
    scope: scopeJson(provider.scope),
    ...{ revision: provider.revision, managed: provider.managed },
    createdAt: isoOf(provider.createdAt),
    updatedAt: isoOf(provider.updatedAt),
  };
}

type ScopeMessage = MessageInitShape<typeof FederatedScopeSchema>;

/** Throws INVALID_REQUEST for two agents or two sessions, and for ones that the project does not have. */
export async function readScope(
  context: GatewayContext,
  request: FastifyRequest,
  scope: ScopeBody,
): Promise<ScopeMessage> {
  const { agentClaim, sessionId, sessionClaim, subjectClaim } = scope;
  const names = [scope.agentId, scope.agentSlug, agentClaim].filter((given) => given !== undefined);
  if (names.length > 1)
    throw wrong("agentId", "must be given, or agentSlug, or agentClaim, but not two of them");
  if (sessionId !== undefined && sessionClaim !== undefined)
    throw wrong("sessionId", "must be given, or sessionClaim, but not both");
  const agentId = await onlyAgent(context, request, scope);
  if (sessionId !== undefined) await requireSession(context, request, sessionId, agentId);
  return {
    ...(agentId === undefined ? {} : { agent: { case: "agentId", value: agentId } }),
    ...(agentClaim === undefined ? {} : { agent: { case: "agentClaim", value: agentClaim } }),
    ...(sessionId === undefined ? {} : { session: { case: "sessionId", value: sessionId } }),
    ...(sessionClaim === undefined ? {} : { session: { case: "sessionClaim", value: sessionClaim } }),
    ...(subjectClaim === undefined ? {} : { subjectClaim }),
  };
}

function scopeJson({ agent, session, subjectClaim }: FederatedScope): ScopeBody {
  return {
    ...(agent.case === undefined ? {} : { [agent.case]: agent.value }),
    ...(session.case === undefined ? {} : { [session.case]: session.value }),
    ...(subjectClaim === undefined ? {} : { subjectClaim }),
  };
}

async function onlyAgent(
  context: GatewayContext,
  request: FastifyRequest,
  { agentId, agentSlug }: ScopeBody,
): Promise<string | undefined> {
  if ((agentId ?? agentSlug) === undefined) return undefined;
  return findAgent(context, request, agentOf({ agentId, agentSlug })).catch((error: unknown) => {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    const message =
      "does not name an agent of the project; see GET /api/agents, and send a slug as agentSlug";
    throw wrong(agentSlug === undefined ? "agentId" : "agentSlug", message);
  });
}

/** A session of another agent is reported like one that does not exist: tokens could use neither. */
async function requireSession(
  context: GatewayContext,
  request: FastifyRequest,
  sessionId: string,
  agentId: string | undefined,
): Promise<void> {
  const asked = context.sessions.locateSession({ sessionId }, callFor(context, request));
  const session = await asked.catch((error: unknown) => {
    if (readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
    return undefined;
  });
  if (agentId === undefined || session?.agentId === agentId) return;
  throw wrong("sessionId", "is not the id of a session of the agent");
}

function wrong(field: keyof ScopeBody, message: string) {
  return badRequest("body", [{ path: `scope.${field}`, message }]);
}
