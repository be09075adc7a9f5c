import { hash } from "node:crypto";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { AuthService, Principal } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { type CallPrincipal, callOptions, isPermission, readRpcError } from "@muster/rpc";
import type { Clock } from "@muster/service";
import { LRUCache } from "lru-cache";
import { HttpProblem } from "../errors/http-problem.ts";

/** The identity behind a credential. */
export interface Identity {
  principal: CallPrincipal;
  /** Milliseconds since 1970; Infinity if it never expires. */
  expiresAtMs: number;
}

/** Runs a check, or refuses to. */
export type Guard = (check: () => Promise<Identity>) => Promise<Identity>;

export interface Authenticator {
  /**
   * Throws UNAUTHENTICATED for a credential that is not currently valid, UNAVAILABLE if the auth service cannot be reached.
   * `guard` runs the check of a credential that was not valid within the last hour.
   */
  authenticate(credential: string, requestId: string, guard?: Guard): Promise<Identity>;
  /** Asks the auth service, whatever is cached: whether the credential is valid now. Throws if it cannot be reached. */
  recheck(credential: string, requestId: string): Promise<boolean>;
  /** Forgets every identity that a key authenticated. */
  dropKey(keyId: string): void;
  /** Forgets everything, because events may have been missed. */
  clear(): void;
}

export interface AuthenticatorOptions {
  auth: Pick<Client<typeof AuthService>, "authenticate">;
  clock: Clock;
  /** How long a result is cached unless an event revokes it. */
  cacheMs: number;
  timeoutMs: number;
}

// Rejected credentials have a separate cache, so that a flood of them evicts no valid one.
const maxValid = 10_000;
const maxInvalid = 1_000;
const invalidMs = 1_000;
/** How long a credential that was valid can be checked again although its client has sent too many wrong ones. */
const provenMs = 60 * 60_000;

/** Caches the auth service's results by the hash of the credential. The credential itself is never kept. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { clock, cacheMs } = options;
  const settings = { perf: { now: () => clock.now() }, ttlResolution: 0 };
  const valid = new LRUCache<string, Identity>({ max: maxValid, ttl: cacheMs, ...settings });
  const invalid = new LRUCache<string, true>({
    max: maxInvalid,
    ttl: Math.min(invalidMs, cacheMs),
    ...settings,
  });
  const proven = new LRUCache<string, true>({ max: maxValid, ttl: provenMs, ...settings });
  let asking = new Map<string, Promise<Identity>>();

  const ask = (key: string, credential: string, requestId: string): Promise<Identity> => {
    const current = asking;
    const answer = lookUp(options, credential, requestId)
      .then(
        (identity) => {
          // A revocation replaces the map, so this result may predate it.
          if (asking === current) valid.set(key, identity);
          proven.set(key, true);
          return identity;
        },
        (error: unknown) => {
          if (isRejected(error)) {
            proven.delete(key);
            if (asking === current) invalid.set(key, true);
          }
          throw error;
        },
      )
      .finally(() => current.delete(key));
    current.set(key, answer);
    return answer;
  };

  return {
    authenticate: async (credential, requestId, guard = (check) => check()) => {
      const key = hash("sha256", credential, "base64url");
      const check = async () => {
        if (invalid.get(key)) throw unauthenticated();
        return asking.get(key) ?? ask(key, credential, requestId);
      };
      // Requests that share a check are one attempt: a burst with a new key is no guessing.
      const isGuess = !proven.has(key) && !asking.has(key);
      const identity = valid.get(key) ?? (await (isGuess ? guard(check) : check()));
      if (identity.expiresAtMs <= clock.now()) throw unauthenticated();
      return identity;
    },
    recheck: async (credential, requestId) => {
      const key = hash("sha256", credential, "base64url");
      try {
        const identity = await (asking.get(key) ?? ask(key, credential, requestId));
        return identity.expiresAtMs > clock.now();
      } catch (error) {
        if (isRejected(error)) return false;
        throw error;
      }
    },
    dropKey: (keyId) => {
      asking = new Map();
      for (const [key, identity] of valid.entries()) {
        if (identity.principal.keyId === keyId) valid.delete(key);
      }
    },
    clear: () => {
      asking = new Map();
      valid.clear();
      invalid.clear();
    },
  };
}

/** The same message for all causes, so that nothing can be probed. */
export function unauthenticated(): HttpProblem {
  return new HttpProblem("UNAUTHENTICATED", "Send a valid API key as Authorization: Bearer <API_KEY>.");
}

async function lookUp(
  { auth, timeoutMs }: AuthenticatorOptions,
  credential: string,
  requestId: string,
): Promise<Identity> {
  const { principal } = await auth.authenticate({ credential }, callOptions({ requestId, timeoutMs }));
  if (!principal) throw unauthenticated();
  return {
    principal: toCallPrincipal(principal),
    expiresAtMs: principal.expireTime ? timestampMs(principal.expireTime) : Number.POSITIVE_INFINITY,
  };
}

function isRejected(error: unknown): boolean {
  return error instanceof HttpProblem || readRpcError(error).reason === Reason.UNAUTHENTICATED;
}

function toCallPrincipal(principal: Principal): CallPrincipal {
  const { projectId, keyId, anyProject, agentId, sessionId } = principal;
  return {
    projectId,
    keyId,
    anyProject,
    permissions: new Set(principal.permissions.filter(isPermission)),
    ...(agentId === undefined ? {} : { agentId }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}
