import { hash } from "node:crypto";
import { createGuardedFetch, createUrlCheck, type GuardOptions } from "@muster/guarded-fetch";
import type { Clock, Logger } from "@muster/service";
import { LRUCache } from "lru-cache";
import type { IdentityProviderDocument, IdentityProviderStore } from "../store/identity-providers.ts";
import { checkClaims, type Grant, type Refusal } from "./check-claims.ts";
import { fetchKeySet, type KeySet, type KeySource } from "./fetch-key-set.ts";
import { KeySets } from "./key-sets.ts";
import { skewS } from "./limits.ts";
import { loadJose } from "./load-jose.ts";
import { audienceOf, readToken, type UnverifiedToken } from "./read-token.ts";

/** A token of an identity provider that is valid now. */
export interface FederatedIdentity extends Grant {
  provider: IdentityProviderDocument;
  /** The same for all tokens of the provider for this subject. */
  subjectId: string;
}

export interface FederationOptions {
  providers: Pick<IdentityProviderStore, "findForToken">;
  guard: GuardOptions;
  clock: Clock;
  log: Logger;
}

/**
 * Accepts tokens of identity providers. The cheap checks are first; only then are keys fetched and signatures verified.
 */
export function createFederation({ providers, guard, clock, log }: FederationOptions) {
  const fetch = createGuardedFetch(guard);
  const keySets = new KeySets({
    clock,
    log,
    fetchKeys: (source, signal) => fetchKeySet(fetch, source, signal),
  });
  const logRefusal = createRefusalLog(clock, log);
  /** Everything but the signature. */
  const allow = async (token: UnverifiedToken): Promise<Allowed | undefined> => {
    const provider = await providers.findForToken(token.providerId);
    if (provider === null) return undefined;
    const checked = checkClaims(token, provider, clock.now());
    if (checked.ok) return { provider, grant: checked.value };
    return logRefusal(provider, checked.refusal);
  };
  const keysFor = async (token: UnverifiedToken, { provider }: Allowed): Promise<Known | undefined> => {
    const current = keySets.current(sourceOf(provider), token.kid);
    if (current !== undefined) return { keys: current, allowed: undefined };
    await keySets.refresh(sourceOf(provider));
    // That may have taken seconds, in which the provider may have been deleted or changed.
    const allowed = await allow(token);
    if (allowed === undefined) return undefined;
    const keys = keySets.afterRefresh(sourceOf(allowed.provider), token.kid);
    return keys === undefined ? logRefusal(allowed.provider, "unknown key") : { keys, allowed };
  };
  return {
    /** The identity behind a text with the form of a JWT; undefined unless it is a valid token of a registered provider. */
    identify: async (text: string) => {
      const token = await readToken(text);
      if (token === undefined) return undefined;
      const first = await allow(token);
      const known = first && (await keysFor(token, first));
      if (known === undefined || first === undefined) return undefined;
      const { provider, grant } = known.allowed ?? first;
      if (!(await isSigned(token, provider, known.keys, clock.now())))
        return logRefusal(provider, "wrong signature");
      return { ...grant, provider, subjectId: subjectIdOf(provider._id, grant.subject) };
    },
    /** Throws FetchProblem for a URL that would never be fetched. */
    checkUrl: createUrlCheck(guard),
    stop: () => keySets.stop(),
  };
}

interface Allowed {
  provider: IdentityProviderDocument;
  grant: Grant;
}

interface Known {
  keys: KeySet;
  /** The result of a second check; undefined if the first was a moment ago. */
  allowed: Allowed | undefined;
}

function sourceOf({ issuer, jwksUri }: IdentityProviderDocument): KeySource {
  return { issuer, ...(jwksUri === undefined ? {} : { jwksUri }) };
}

async function isSigned(
  { text, algorithm }: UnverifiedToken,
  { _id: providerId, issuer }: IdentityProviderDocument,
  { getKey }: KeySet,
  nowMs: number,
): Promise<boolean> {
  const options = {
    algorithms: [algorithm],
    ...{ issuer, audience: audienceOf(providerId), clockTolerance: skewS, currentDate: new Date(nowMs) },
  };
  const { jwtVerify } = await loadJose();
  return jwtVerify(text, getKey, options).then(
    () => true,
    () => false,
  );
}

/** An id made of the provider and the subject, without showing the subject, which may be a user's address. */
function subjectIdOf(providerId: string, subject: string): string {
  return `jwt_${hash("sha256", JSON.stringify([providerId, subject]), "base64url").slice(0, 24)}`;
}

const logEveryMs = 60_000;
const maxLogged = 1_000;

/** At most one line a minute for each provider and reason, because any client can send wrong tokens. */
function createRefusalLog(clock: Clock, log: Logger) {
  const logged = new LRUCache<string, true>({
    max: maxLogged,
    ttl: logEveryMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
  });
  return ({ _id: providerId, projectId }: IdentityProviderDocument, reason: Refusal): undefined => {
    const name = `${providerId} ${reason}`;
    if (logged.has(name)) return;
    logged.set(name, true);
    log.info({ providerId, projectId, reason }, "a token of an identity provider was refused");
  };
}
