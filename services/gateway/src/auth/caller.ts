import type { CallPrincipal } from "@muster/rpc";
import type { Clock } from "@muster/service";
import type { FastifyRequest } from "fastify";
import type { Identity } from "./identity.ts";

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
