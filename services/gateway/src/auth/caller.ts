import type { CallPrincipal } from "@muster/rpc";
import type { Clock } from "@muster/service";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import type { Identity } from "./authenticator.ts";

/** On whose behalf a request is served, once it is authenticated. */
export interface Caller {
  principal: CallPrincipal;
  /** Signed text of the principal, for the services. */
  signed: string;
}

/** The caller of a route that is not public. Being called elsewhere is a mistake of ours. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.url} was served without authentication`);
  return request.caller;
}

/** The caller of a route that tokens may not use, which drive sessions and nothing else. Throws FORBIDDEN. */
export function keyCallerOf(request: FastifyRequest): Caller {
  const caller = callerOf(request);
  if (caller.principal.sessionId === undefined) return caller;
  throw new HttpProblem("FORBIDDEN", "This needs an API key; a token drives sessions only.");
}

/** Half of the 60 s that a signed text is valid, so that none runs out on its way. */
const resignAfterMs = 30_000;

/** Makes the signed text of a principal. */
export interface PrincipalSigner {
  sign(principal: CallPrincipal): string;
}

/** Signs callers, once per identity and project for as long as the identity is cached. */
export function createCallerSigner(signer: PrincipalSigner, clock: Clock) {
  const known = new WeakMap<Identity, Map<string, Caller & { signedAtMs: number }>>();
  return (identity: Identity, projectId: string): Caller => {
    const callers = known.get(identity) ?? new Map();
    known.set(identity, callers);
    const cached = callers.get(projectId);
    const nowMs = clock.now();
    if (cached && nowMs - cached.signedAtMs < resignAfterMs) return cached;
    const principal = { ...identity.principal, projectId };
    const caller = { principal, signed: signer.sign(principal), signedAtMs: nowMs };
    callers.set(projectId, caller);
    return caller;
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined on public routes. */
    caller: Caller | undefined;
  }
}
