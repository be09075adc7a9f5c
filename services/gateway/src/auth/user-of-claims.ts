import type { Permission } from "@muster/rpc";
import type { OidcGrant } from "./read-oidc-settings.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** A user who logs in, with the permissions of the grants. */
export interface OidcUser {
  readonly subject: string;
  readonly name: string;
  readonly projectId: string;
  readonly permissions: Permission[];
  /** Those that grant them. */
  readonly claims: Record<string, string>;
}

/** A user has the permissions of all grants that match, in the project of the first one. Undefined: none matches. */
export function userOfClaims(
  claims: Claims & { sub: string },
  grants: readonly OidcGrant[],
): OidcUser | undefined {
  const matching = grants.filter((grant) => isFulfilled(grant, claims));
  const [first] = matching;
  if (first === undefined) return undefined;
  const inProject = matching.filter(({ projectId }) => projectId === first.projectId);
  return {
    ...{ subject: claims.sub, name: nameIn(claims), projectId: first.projectId },
    permissions: [...new Set(inProject.flatMap((grant) => grant.permissions))],
    claims: Object.fromEntries(inProject.map(({ claim, value }) => [claim, value])),
  };
}

function isFulfilled({ claim, test, value }: OidcGrant, claims: Claims): boolean {
  // Users of some providers can claim any address.
  if (claim === "email" && claimOf(claims, "email_verified") !== true) return false;
  const given = claimOf(claims, claim);
  if (test === "contains") return Array.isArray(given) && given.includes(value);
  return typeof given === "string" ? given === value : isPlain(given) && String(given) === value;
}

/** Claims may have names such as `constructor`. */
function claimOf(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

function isPlain(value: unknown): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

const maxNameLength = 100;

/** The name under which users find the user in the list of keys. Users of some providers can claim any address. */
function nameIn(claims: Claims & { sub: string }): string {
  const address = claimOf(claims, "email_verified") === true ? ["email"] : [];
  const [name = ""] = [...address, "preferred_username", "name", "sub"]
    .map((claim) => claimOf(claims, claim))
    .filter((value) => typeof value === "string")
    .map((value) => value.replaceAll(/\p{Cc}/gu, "").trim())
    .filter((value) => value !== "");
  return [...(name || "Without a name")].slice(0, maxNameLength).join("");
}
