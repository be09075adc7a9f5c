import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import type { Principal } from "@muster/proto/auth";
import { type CallPrincipal, callOptions, isPermission } from "@muster/rpc";
import type { Clock } from "@muster/service";
import type { FastifyRequest } from "fastify";
import type { LRUCache } from "lru-cache";
import type { MemoryOwner } from "../edge/limits/byte-budget.ts";
import { lruCache } from "../edge/limits/lru-cache.ts";

/** The identity behind a credential. */
export type Identity = ReturnType<typeof toIdentity>;

export function toIdentity(principal: Principal, askedAtMs: number) {
  const { expiresAt } = principal;
  return {
    principal: toCallPrincipal(principal),
    /** Milliseconds since 1970; Infinity if it never expires. */
    expiresAtMs: expiresAt ? timestampMs(expiresAt) : Number.POSITIVE_INFINITY,
    /** When the auth service was asked, by the monotonic clock. A revocation since then may have been missed. */
    askedAtMs,
  };
}

/** The ids that a revocation may name; the first one identifies the credential itself. */
export function idsOf({ tokenId, loginId, keyId }: CallPrincipal): readonly [string, ...string[]] {
  const own = tokenId ?? loginId;
  return own === undefined ? [keyId] : [own, keyId];
}

/** Whose limit of requests counts. All logins of a key share its own: otherwise a key could multiply it. */
export function accountOf({ tokenId, keyId }: CallPrincipal): string {
  return tokenId ?? keyId;
}

/** Whose share of a bounded resource a call takes: all tokens of a session are one principal. */
export function ownerOf(principal: CallPrincipal): MemoryOwner {
  return { projectId: principal.projectId, principal: principal.sessionId ?? accountOf(principal) };
}

function toCallPrincipal(principal: Principal): CallPrincipal {
  const {
    projectId,
    keyId,
    anyProject,
    agentId,
    sessionId,
    tokenId,
    keyGeneration,
    computerId,
    maxUsd,
    subject,
    loginId,
  } = principal;
  return {
    projectId,
    keyId,
    anyProject,
    permissions: new Set(principal.permissions.filter(isPermission)),
    ...(agentId === undefined ? {} : { agentId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(keyGeneration === 0 ? {} : { keyGeneration }),
    ...(computerId === undefined ? {} : { computerId }),
    ...(maxUsd === undefined ? {} : { maxUsd }),
    ...(subject === undefined ? {} : { subject }),
    ...(loginId === undefined ? {} : { loginId }),
  };
}

/** The authenticated caller of a request. */
export interface Caller {
  principal: CallPrincipal;
  /** The signed principal, for the services. */
  signed: string;
  /** The same credential in another project, in which it must be allowed to act. */
  inProject(projectId: string): Caller;
}

/** The caller of a route that is not public. Throws on public routes, where calling it is a bug. */
export function callerOf(request: Pick<FastifyRequest, "caller" | "url">): Caller {
  if (!request.caller) throw new Error(`${request.url} was served without authentication`);
  return request.caller;
}

/** Half of the 60 s that a signature is valid, so that none expires in transit. */
const resignAfterMs = 30_000;

/** Signs principals. */
export interface PrincipalSigner {
  sign(principal: CallPrincipal): string;
}

/** Signs callers, once per identity and project for as long as the identity is cached. */
export function createCallerSigner(signer: PrincipalSigner, clock: Clock) {
  const known = new WeakMap<Identity, Map<string, Caller & { signedAtMs: number }>>();
  const callerIn = (identity: Identity, projectId: string): Caller => {
    const callers = known.get(identity) ?? new Map();
    known.set(identity, callers);
    const cached = callers.get(projectId);
    const nowMs = clock.now();
    const ageMs = nowMs - (cached?.signedAtMs ?? 0);
    // The services compare signatures with the time of day: one from before the clock was set back is of the future to them.
    if (cached && ageMs >= 0 && ageMs < resignAfterMs) return cached;
    const principal = { ...identity.principal, projectId };
    const caller = {
      principal,
      signed: signer.sign(principal),
      inProject: (other: string) => callerIn(identity, other),
      signedAtMs: nowMs,
    };
    callers.set(projectId, caller);
    return caller;
  };
  return callerIn;
}

const maxIdentities = 10_000;

/** Identities by the hash of their credential. */
export class IdentityCache {
  readonly #clock: Clock;
  readonly #byHash: LRUCache<string, Identity>;
  readonly #revoked = new RevokedIds();

  /** `maxAgeMs`: counted from the question to the auth service, not from its answer, which may take a while. */
  constructor(clock: Clock, maxAgeMs: number) {
    this.#clock = clock;
    this.#byHash = lruCache(maxIdentities, {
      ttl: maxAgeMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
    });
  }

  get(hash: string): Identity | undefined {
    return this.#byHash.get(hash);
  }

  /** Keeps an identity, unless its key, token or login was revoked after the auth service was asked. */
  set(hash: string, identity: Identity): void {
    if (this.#revoked.hasSince(idsOf(identity.principal), identity.askedAtMs)) return;
    this.#byHash.set(hash, identity, { start: identity.askedAtMs });
  }

  delete(hash: string): void {
    this.#byHash.delete(hash);
  }

  /** Forgets the identities of a key and of its tokens and logins, or of one of these. Rare, so it visits all of them. */
  revoke(id: string): void {
    this.#revoked.add(id, this.#clock.monotonicMs());
    for (const [hash, { principal }] of [...this.#byHash.entries()])
      if (idsOf(principal).includes(id)) this.#byHash.delete(hash);
  }

  clear(): void {
    this.#byHash.clear();
  }
}

/** A request is admitted and starts its stream within seconds, so the latest revocations are enough. */
const maxRemembered = 10_000;

/**
 * When keys and tokens were revoked, so that a result of authentication from before is not used after it. A result from
 * after it counts: the bootstrap key keeps its id when its secret is replaced.
 */
export class RevokedIds {
  readonly #revokedMs = lruCache<number>(maxRemembered);

  add(id: string, nowMs: number): void {
    this.#revokedMs.set(id, nowMs);
  }

  /** Whether one of the ids was revoked at or after that time. */
  hasSince(ids: readonly string[], sinceMs: number): boolean {
    return ids.some((id) => (this.#revokedMs.get(id) ?? Number.NEGATIVE_INFINITY) >= sinceMs);
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined on public routes, and until `admit` on those that also take signed URLs. */
    caller: Caller | undefined;
    /**
     * Authenticates the request and checks the requirements of its route. Only on routes that also take signed URLs.
     */
    admit: (() => Promise<Caller>) | undefined;
    /** How long the request waited for its authentication. */
    waitedMs: number;
  }
}

/**
 * Options for a stream on behalf of the request's caller: no deadline, but a signal. To be requested again for each
 * call: a stream that continues on another process may be older than a signature lasts.
 */
export function streamCallFor(request: FastifyRequest, signal: AbortSignal): CallOptions {
  const { principal, inProject } = callerOf(request);
  const { signed } = inProject(principal.projectId);
  return callOptions({ principal: signed, requestId: request.id, signal });
}
