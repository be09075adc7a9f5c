import { hash } from "node:crypto";
import { createGuardedFetch, createUrlCheck, type GuardOptions } from "@muster/guarded-fetch";
import type { Clock, Logger } from "@muster/service";
import { jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { IdentityProviderDocument, IdentityProviderStore } from "../store/identity-providers.ts";
import { checkClaims, type Grant, type Outcome, type Refusal } from "./check-claims.ts";
import { fetchKeySet } from "./fetch-key-set.ts";
import { KeySets } from "./key-sets.ts";
import { skewS } from "./limits.ts";
import { audienceOf, readToken, type UnverifiedToken } from "./read-token.ts";

/** A token of an identity provider that is valid now. */
export interface FederatedIdentity extends Grant {
  provider: IdentityProviderDocument;
  /** The same for all tokens of the provider for this subject. */
  subjectId: string;
}

export interface Federation {
  /** The identity behind a text with the form of a JWT; undefined unless it is a valid token of a registered provider. */
  identify(text: string): Promise<FederatedIdentity | undefined>;
  /** Throws FetchProblem for a URL that would never be fetched. */
  checkUrl(text: string): URL;
  stop(): Promise<void>;
}

export interface FederationOptions {
  providers: Pick<IdentityProviderStore, "findForToken">;
  guard: GuardOptions;
  clock: Clock;
  log: Logger;
}

/** Accepts tokens of identity providers. The cheap checks come first; only then are keys fetched and signatures verified. */
export function createFederation({ providers, guard, clock, log }: FederationOptions): Federation {
  const fetch = createGuardedFetch(guard);
  const keySets = new KeySets({
    clock,
    log,
    fetchKeys: (source, signal) => fetchKeySet(fetch, source, signal),
  });
  const logRefusal = createRefusalLog(clock, log);
  return {
    identify: async (text) => {
      const token = readToken(text);
      if (token === undefined) return undefined;
      const provider = await providers.findForToken(token.providerId);
      if (provider === null) return undefined;
      const outcome = await verify(token, provider, keySets, clock.now());
      if (!outcome.ok) {
        logRefusal(provider, outcome.refusal);
        return undefined;
      }
      return { ...outcome.value, provider, subjectId: subjectIdOf(provider._id, outcome.value.subject) };
    },
    checkUrl: createUrlCheck(guard),
    stop: () => keySets.stop(),
  };
}

async function verify(
  token: UnverifiedToken,
  provider: IdentityProviderDocument,
  keySets: KeySets,
  nowMs: number,
): Promise<Outcome<Grant>> {
  const checked = checkClaims(token, provider, nowMs);
  if (!checked.ok) return checked;
  const { issuer, jwksUri } = provider;
  const keys = await keySets.find({ issuer, ...(jwksUri === undefined ? {} : { jwksUri }) }, token.kid);
  if (keys === undefined) return { ok: false, refusal: "unknown key" };
  try {
    await jwtVerify(token.text, keys.getKey, {
      algorithms: [token.algorithm],
      issuer,
      audience: audienceOf(provider._id),
      clockTolerance: skewS,
      currentDate: new Date(nowMs),
    });
    return checked;
  } catch {
    return { ok: false, refusal: "wrong signature" };
  }
}

/** Of the provider and the subject, without showing the subject, which may be an address of a person. */
function subjectIdOf(providerId: string, subject: string): string {
  return `jwt_${hash("sha256", JSON.stringify([providerId, subject]), "base64url").slice(0, 24)}`;
}

const logEveryMs = 60_000;
const maxLogged = 1_000;

/** At most one line a minute for each provider and reason, because anybody can send wrong tokens. */
function createRefusalLog(clock: Clock, log: Logger) {
  const logged = new LRUCache<string, true>({
    max: maxLogged,
    ttl: logEveryMs,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  });
  return ({ _id: providerId, projectId }: IdentityProviderDocument, reason: Refusal) => {
    const name = `${providerId} ${reason}`;
    if (logged.has(name)) return;
    logged.set(name, true);
    log.info({ providerId, projectId, reason }, "a token of an identity provider was refused");
  };
}
