import type { IdentityProvider } from "@muster/proto/auth";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isoOf } from "../../schemas/iso.ts";
import { scopeJson } from "./scope.ts";

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
    createdAt: isoOf(provider.createdAt),
    updatedAt: isoOf(provider.updatedAt),
  };
}
