import type { Api } from "../http/api.ts";
import { integer, optionalText, record, records, text, texts } from "../read.ts";

export interface ClaimCondition {
  readonly claim: string;
  readonly equals?: readonly string[] | undefined;
  readonly startsWith?: string | undefined;
}

/** One of the first two, and at most one of the others. */
export interface FederatedScope {
  readonly agentId?: string | undefined;
  readonly agentSlug?: string | undefined;
  readonly agentClaim?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sessionClaim?: string | undefined;
  readonly subjectClaim?: string | undefined;
}

export interface NewIdentityProvider {
  readonly name: string;
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly maxLifetimeSeconds?: number | undefined;
  readonly conditions: readonly ClaimCondition[];
  readonly scope: FederatedScope;
}

export type IdentityProvider = ReturnType<typeof identityProviderOf>;

const path = "/api/admin/identity-providers";
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;

export async function createIdentityProvider(
  api: Api,
  provider: NewIdentityProvider,
): Promise<IdentityProvider> {
  return identityProviderOf(await api.read("POST", path, { body: provider }));
}

/** Newest first. */
export async function listIdentityProviders(api: Api): Promise<IdentityProvider[]> {
  return records(await api.read("GET", path), "identityProviders").map(identityProviderOf);
}

export async function getIdentityProvider(api: Api, id: string): Promise<IdentityProvider> {
  return identityProviderOf(await api.read("GET", pathOf(id)));
}

export async function deleteIdentityProvider(api: Api, id: string) {
  const body = await api.read("DELETE", pathOf(id));
  return { id: text(body, "id"), deleted: body.deleted === true };
}

function identityProviderOf(provider: Record<string, unknown>) {
  return {
    id: text(provider, "id"),
    projectId: text(provider, "projectId"),
    name: text(provider, "name"),
    issuer: text(provider, "issuer"),
    audience: text(provider, "audience"),
    /** Null: found by discovery. */
    jwksUri: optionalText(provider, "jwksUri") ?? null,
    algorithms: texts(provider, "algorithms"),
    maxLifetimeSeconds: integer(provider, "maxLifetimeSeconds"),
    conditions: records(provider, "conditions").map(conditionOf),
    scope: scopeOf(record(provider.scope)),
    createdAt: text(provider, "createdAt"),
    updatedAt: text(provider, "updatedAt"),
  };
}

function conditionOf(condition: Record<string, unknown>): ClaimCondition {
  const claim = text(condition, "claim");
  const startsWith = optionalText(condition, "startsWith");
  return startsWith === undefined ? { claim, equals: texts(condition, "equals") } : { claim, startsWith };
}

function scopeOf(scope: Record<string, unknown>): FederatedScope {
  return {
    agentId: optionalText(scope, "agentId"),
    agentClaim: optionalText(scope, "agentClaim"),
    sessionId: optionalText(scope, "sessionId"),
    sessionClaim: optionalText(scope, "sessionClaim"),
    subjectClaim: optionalText(scope, "subjectClaim"),
  };
}
