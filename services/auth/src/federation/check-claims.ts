import { isSubject } from "@muster/rpc";
import type { FederatedScope, IdentityProviderDocument } from "../store/identity-providers.ts";
import { type Claims, claimOf, isFulfilled } from "./conditions.ts";
import { maxSubjectLength, skewS } from "./limits.ts";
import type { UnverifiedToken } from "./read-token.ts";

/** Why a token is refused, for the operator's log. The client never learns it. */
export type Refusal =
  | "wrong issuer"
  | "algorithm not allowed"
  | "no valid sub"
  | "no valid exp or iat"
  | "expired"
  | "not valid yet"
  | "lives too long"
  | "condition not fulfilled"
  | "no valid agent, session or subject claim"
  | "unknown key"
  | "wrong signature";

export type Outcome<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** The permissions of a token, once its signature is verified. */
export interface Grant {
  subject: string;
  agentId: string;
  sessionId?: string;
  /** The only subject whose sessions it uses. */
  sessionSubject?: string;
  /** Milliseconds since 1970. */
  expiresAtMs: number;
}

/** Everything but the signature, so that a token that is wrong anyway causes no request to the issuer. */
export function checkClaims(
  { issuer, algorithm, claims }: UnverifiedToken,
  provider: IdentityProviderDocument,
  nowMs: number,
): Outcome<Grant> {
  if (issuer !== provider.issuer) return refused("wrong issuer");
  if (!provider.algorithms.includes(algorithm)) return refused("algorithm not allowed");
  const subject = claimOf(claims, "sub");
  if (typeof subject !== "string" || subject === "" || subject.length > maxSubjectLength)
    return refused("no valid sub");
  const times = checkTimes(claims, provider.maxLifetimeS, nowMs / 1_000);
  if (!times.ok) return times;
  if (!provider.conditions.every((condition) => isFulfilled(condition, claims)))
    return refused("condition not fulfilled");
  const scope = scopeOf(provider.scope, claims);
  if (scope === undefined) return refused("no valid agent, session or subject claim");
  // The times of a token may have fractions of any length.
  const expiresAtMs = Math.floor((times.value + skewS) * 1_000);
  return { ok: true, value: { subject, ...scope, expiresAtMs } };
}

/** The token's `exp` in seconds. */
function checkTimes(claims: Claims, maxLifetimeS: number, nowS: number): Outcome<number> {
  const [exp, iat, nbf] = ["exp", "iat", "nbf"].map((name) => claimOf(claims, name));
  if (!isTime(exp) || !isTime(iat)) return refused("no valid exp or iat");
  if (nbf !== undefined && !isTime(nbf)) return refused("no valid exp or iat");
  if (exp + skewS <= nowS) return refused("expired");
  if (iat > nowS + skewS || (nbf ?? iat) > nowS + skewS) return refused("not valid yet");
  if (exp - iat > maxLifetimeS) return refused("lives too long");
  return { ok: true, value: exp };
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function scopeOf(
  { agent, session, subjectClaim }: FederatedScope,
  claims: Claims,
): Pick<Grant, "agentId" | "sessionId" | "sessionSubject"> | undefined {
  const agentId = idFrom(agent, claims);
  const sessionId = session && idFrom(session, claims);
  const subject = subjectClaim === undefined ? undefined : claimOf(claims, subjectClaim);
  if (agentId === undefined || (session !== undefined && sessionId === undefined)) return undefined;
  if (subjectClaim !== undefined && !(typeof subject === "string" && isSubject(subject))) return undefined;
  return {
    agentId,
    ...(sessionId !== undefined && { sessionId }),
    ...(typeof subject === "string" && { sessionSubject: subject }),
  };
}

const opaqueId = /^[0-9A-Za-z_-]{1,100}$/;

function idFrom(source: { id: string } | { claim: string }, claims: Claims): string | undefined {
  if ("id" in source) return source.id;
  const value = claimOf(claims, source.claim);
  return typeof value === "string" && opaqueId.test(value) ? value : undefined;
}

function refused(refusal: Refusal): Outcome<never> {
  return { ok: false, refusal };
}
