import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ApiKey,
  ApiKeySchema,
  type FederatedScopeSchema,
  type IdentityProvider,
  IdentityProviderSchema,
  type KeyLimits,
  KeyLimitsSchema,
  type Project,
  type ProjectLimits as ProjectLimitsMessage,
  ProjectLimitsSchema,
  ProjectSchema,
  type ProviderKey,
  ProviderKeySchema,
  type ToolSecret,
  ToolSecretSchema,
} from "@muster/proto/auth";
import { limitsMessage, type SpendingLimits } from "@muster/rpc";
import { revisionOf } from "@muster/store";
import { audienceOf } from "../federation/read-token.ts";
import type { ApiKeyDocument, ProjectDocument, ProjectLimits } from "../store/documents.ts";
import type { FederatedScope, IdentityProviderDocument } from "../store/identity-providers.ts";
import type { ProjectSecret } from "../store/project-secrets.ts";

export function toApiKey(key: ApiKeyDocument): ApiKey {
  return create(ApiKeySchema, {
    id: key._id,
    projectId: key.projectId,
    name: key.name,
    permissions: key.permissions,
    ...(key.agentId === undefined ? {} : { agentId: key.agentId }),
    ...(key.computerId === undefined ? {} : { computerId: key.computerId }),
    createdAt: timestampFromDate(key.createdAt),
    ...(key.expiresAt ? { expiresAt: timestampFromDate(key.expiresAt) } : {}),
    ...(key.lastUsedAt ? { lastUsedAt: timestampFromDate(key.lastUsedAt) } : {}),
    anyProject: key.anyProject,
    limits: toKeyLimits(key.limits),
  });
}

export function toProject(project: ProjectDocument): Project {
  return create(ProjectSchema, {
    id: project._id,
    name: project.name,
    createdAt: timestampFromDate(project.createdAt),
    limits: toLimits(project.limits),
    approvals: project.approvals ?? {},
    toolHosts: project.toolHosts ?? [],
    revision: revisionOf(project),
  });
}

export function toKeyLimits(limits: SpendingLimits = {}): KeyLimits {
  return create(KeyLimitsSchema, limitsMessage(limits));
}

export function toLimits({
  requestsPerMinute,
  overall = {},
  subjectMonthlyUsd,
  ...workforce
}: ProjectLimits = {}): ProjectLimitsMessage {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = limitsMessage(workforce);
  return create(ProjectLimitsSchema, {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(monthlyUsd !== undefined && { workforceMonthlyUsd: monthlyUsd }),
    ...(monthlyTokens !== undefined && { workforceMonthlyTokens: monthlyTokens }),
    ...(monthlyRuns !== undefined && { workforceMonthlyRuns: monthlyRuns }),
    ...limitsMessage(overall),
    ...(subjectMonthlyUsd !== undefined && { subjectMonthlyUsd }),
  });
}

export function toProviderKey(key: ProjectSecret): ProviderKey {
  return create(ProviderKeySchema, { provider: key.name, ...shownOf(key) });
}

export function toToolSecret(secret: ProjectSecret): ToolSecret {
  return create(ToolSecretSchema, { host: secret.name, ...shownOf(secret) });
}

function shownOf({ lastFour, createdAt, updatedAt }: ProjectSecret) {
  return { lastFour, createdAt: timestampFromDate(createdAt), updatedAt: timestampFromDate(updatedAt) };
}

export function toIdentityProvider(provider: IdentityProviderDocument): IdentityProvider {
  return create(IdentityProviderSchema, {
    id: provider._id,
    projectId: provider.projectId,
    name: provider.name,
    issuer: provider.issuer,
    audience: audienceOf(provider._id),
    ...(provider.jwksUri === undefined ? {} : { jwksUri: provider.jwksUri }),
    algorithms: provider.algorithms,
    maxLifetimeSeconds: provider.maxLifetimeS,
    conditions: provider.conditions,
    scope: toScope(provider.scope),
    ...{ revision: revisionOf(provider), managed: provider.managed ?? false },
    createdAt: timestampFromDate(provider.createdAt),
    updatedAt: timestampFromDate(provider.updatedAt),
  });
}

function toScope({
  agent,
  session,
  subjectClaim,
}: FederatedScope): MessageInitShape<typeof FederatedScopeSchema> {
  return {
    agent: "id" in agent ? { case: "agentId", value: agent.id } : { case: "agentClaim", value: agent.claim },
    ...(session === undefined ? {} : { session: toSession(session) }),
    ...(subjectClaim === undefined ? {} : { subjectClaim }),
  };
}

function toSession(session: NonNullable<FederatedScope["session"]>) {
  return "id" in session
    ? { case: "sessionId" as const, value: session.id }
    : { case: "sessionClaim" as const, value: session.claim };
}
