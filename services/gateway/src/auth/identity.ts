import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Principal } from "@muster/proto/auth";
import { type CallPrincipal, isPermission } from "@muster/rpc";
import type { MemoryOwner } from "../edge/limits/byte-budget.ts";

/** The identity behind a credential. */
export interface Identity {
  principal: CallPrincipal;
  /** Milliseconds since 1970; Infinity if it never expires. */
  expiresAtMs: number;
  /** When the auth service was asked, by the monotonic clock. A revocation since then may have been missed. */
  askedAtMs: number;
}

export function toIdentity(principal: Principal, askedAtMs: number): Identity {
  const { expiresAt } = principal;
  return {
    principal: toCallPrincipal(principal),
    expiresAtMs: expiresAt ? timestampMs(expiresAt) : Number.POSITIVE_INFINITY,
    askedAtMs,
  };
}

/** The ids that a revocation may name; the first one identifies the credential itself. */
export function idsOf({ tokenId, keyId }: CallPrincipal): readonly [string, ...string[]] {
  return tokenId === undefined ? [keyId] : [tokenId, keyId];
}

/** Whose share of a bounded resource a call takes: all tokens of a session are one principal. */
export function ownerOf(principal: CallPrincipal): MemoryOwner {
  return { projectId: principal.projectId, principal: principal.sessionId ?? idsOf(principal)[0] };
}

function toCallPrincipal(principal: Principal): CallPrincipal {
  const { projectId, keyId, anyProject, agentId, sessionId, tokenId, keyGeneration } = principal;
  return {
    projectId,
    keyId,
    anyProject,
    permissions: new Set(principal.permissions.filter(isPermission)),
    ...(agentId === undefined ? {} : { agentId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(keyGeneration === 0 ? {} : { keyGeneration }),
  };
}
