import { hash } from "node:crypto";
import type { Client } from "@connectrpc/connect";
import type { AuthService } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { callOptions, readRpcError } from "@muster/rpc";
import type { Clock } from "@muster/service";
import { formOf, hasChecksum } from "@muster/service/credentials";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { lruCache } from "../edge/limits/lru-cache.ts";
import type { CheckOrder } from "./failed-attempts.ts";
import { type Identity, IdentityCache, idsOf, toIdentity } from "./identity.ts";

/** Runs a check in its order, or refuses to. */
type Guard = (check: () => Promise<Identity>, order: CheckOrder) => Promise<Identity>;

export type Authenticator = ReturnType<typeof createAuthenticator>;

interface AuthenticatorOptions {
  auth: Pick<Client<typeof AuthService>, "authenticate">;
  clock: Clock;
  /** How long a result is cached unless an event revokes it. */
  cacheMs: number;
  timeoutMs: number;
}

// Rejected credentials have a separate cache, so that a flood of them evicts no valid one.
const maxInvalid = 1_000;
const invalidMs = 1_000;
const maxProven = 10_000;
/** Streams wait for it to be repeated, so it must not take as long as a request may. */
const confirmTimeoutMs = 2_000;
/** How long a credential that was valid can be checked again although its client has sent too many wrong ones. */
const provenMs = 60 * 60_000;

/** Caches the auth service's results by the hash of the credential. The credential itself is never kept. */
export function createAuthenticator(options: AuthenticatorOptions) {
  const { clock, cacheMs } = options;
  const settings = { perf: { now: () => clock.monotonicMs() }, ttlResolution: 0 };
  const valid = new IdentityCache(clock, cacheMs);
  const invalid = lruCache<true>(maxInvalid, { ttl: Math.min(invalidMs, cacheMs), ...settings });
  const proven = lruCache<true>(maxProven, { ttl: provenMs, ...settings });
  // Replaced by every revocation: a request that follows one must not share a check from before it.
  let asking = new Map<string, Promise<Identity>>();

  const lookUpAndKeep = async (key: string, credential: string, requestId: string, timeoutMs: number) => {
    try {
      const identity = await lookUp({ ...options, timeoutMs }, credential, requestId);
      valid.set(key, identity);
      proven.set(key, true);
      return identity;
    } catch (error) {
      if (isRejected(error)) {
        valid.delete(key);
        proven.delete(key);
        invalid.set(key, true);
      }
      throw error;
    }
  };
  const ask = (key: string, credential: string, requestId: string): Promise<Identity> => {
    const current = asking;
    const answer = lookUpAndKeep(key, credential, requestId, options.timeoutMs).finally(() =>
      current.delete(key),
    );
    current.set(key, answer);
    return answer;
  };

  return {
    /**
     * Throws UNAUTHENTICATED for a credential that is not currently valid, UNAVAILABLE if the auth service cannot be reached.
     * `guard` runs the check of a credential that was not valid within the last hour.
     */
    authenticate: async (credential: string, requestId: string, guard: Guard = (check) => check()) => {
      const key = nameOf(credential);
      const check = async () => {
        if (invalid.get(key) || formOf(credential) === undefined) throw unauthenticated();
        return asking.get(key) ?? ask(key, credential, requestId);
      };
      // Requests that share a check are one attempt: a burst with a new key is no guessing.
      const isGuess = !proven.has(key) && !asking.has(key);
      const run = () => (isGuess ? guard(check, orderOf(credential, invalid.has(key))) : check());
      const identity = valid.get(key) ?? (await run());
      if (identity.expiresAtMs <= clock.now()) throw unauthenticated();
      return identity;
    },
    /**
     * Asks the auth service again, unless it was asked at `sinceMs` or later. Resolves with undefined if the credential is not
     * valid. Throws if there is no response within two seconds.
     */
    confirm: async (
      credential: string,
      requestId: string,
      sinceMs: number,
    ): Promise<Confirmation | undefined> => {
      const key = nameOf(credential);
      const known = valid.get(key);
      try {
        const identity =
          known !== undefined && known.askedAtMs >= sinceMs
            ? known
            : await lookUpAndKeep(key, credential, requestId, confirmTimeoutMs);
        return identity.expiresAtMs > clock.now() ? identity : undefined;
      } catch (error) {
        if (isRejected(error)) return undefined;
        throw error;
      }
    },
    /** Forgets every identity of a key, with those of its tokens, or of one token. */
    revoke: (id: string) => {
      asking = new Map();
      valid.revoke(id);
    },
    /** Forgets everything, because events may have been missed. */
    clear: () => {
      asking = new Map();
      valid.clear();
      invalid.clear();
    },
  };
}

/** Names a credential without containing it. */
function nameOf(credential: string): string {
  return hash("sha256", credential, "base64url");
}

function orderOf(credential: string, isKnownWrong: boolean): CheckOrder {
  if (isKnownWrong || formOf(credential) === undefined) return "now";
  return hasChecksum(credential) ? "shared" : "alone";
}

/** The same message for all causes, so that nothing can be probed. */
export function unauthenticated(): HttpProblem {
  return new HttpProblem(
    "UNAUTHENTICATED",
    "Send a valid API key or token as Authorization: Bearer <API_KEY>.",
  );
}

async function lookUp(
  { auth, clock, timeoutMs }: AuthenticatorOptions,
  credential: string,
  requestId: string,
): Promise<Identity> {
  const askedAtMs = clock.monotonicMs();
  const { principal } = await auth.authenticate({ credential }, callOptions({ requestId, timeoutMs }));
  if (!principal) throw unauthenticated();
  return toIdentity(principal, askedAtMs);
}

function isRejected(error: unknown): boolean {
  return error instanceof HttpProblem || readRpcError(error).reason === Reason.UNAUTHENTICATED;
}

/** When a credential was valid, and until when it will be unless it is revoked: each use moves the end of a login. */
export type Confirmation = Pick<Identity, "askedAtMs" | "expiresAtMs">;

/** The credential of a request that may still be running when it is revoked or expires. */
export interface HeldCredential {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The same for every request with this credential. Does not contain it. */
  readonly name: string;
  /** The ids that a revocation may name; the first one identifies the credential itself. */
  readonly ids: readonly [string, ...string[]];
  /** Milliseconds since 1970; Infinity if it never expires. */
  readonly expiresAtMs: number;
  /** When the auth service was asked about it, by the monotonic clock. A revocation since then counts. */
  readonly askedAtMs: number;
  /**
   * Asks the auth service again, unless it was asked at `sinceMs` or later, by the monotonic clock. Resolves with
   * undefined if the credential is not valid. Rejects if the auth service does not respond soon.
   */
  confirm(sinceMs: number): Promise<Confirmation | undefined>;
}

/** Keeps the credential itself private, so that no log line can contain it. */
export function holdCredential(
  authenticator: Authenticator,
  { principal, expiresAtMs, askedAtMs }: Identity,
  credential: string,
  requestId: string,
): HeldCredential {
  return {
    ...{ projectId: principal.projectId, ids: idsOf(principal), expiresAtMs, askedAtMs },
    // Computed only for streams.
    get name() {
      return nameOf(credential);
    },
    confirm: (sinceMs) => authenticator.confirm(credential, requestId, sinceMs),
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined on public routes. */
    credential: HeldCredential | undefined;
  }
}
