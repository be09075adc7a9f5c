import type { MintTokenRequest } from "@muster/proto/auth";
import { checkSubject, checkUsd, Issues } from "@muster/rpc";
import { checkId } from "./fields.ts";

const defaultTtlS = 3_600;
export const maxTtlS = 86_400;

/** A request for a token. Each field is valid on its own. */
export interface TokenRequest {
  agentId: string;
  sessionId?: string;
  /** The token decides on approvals of its session. */
  approve?: true;
  /** The most that each execution may cost. */
  maxUsd?: string;
  /** The only subject whose sessions it uses. */
  subject?: string;
  ttlS: number;
}

/** Throws INVALID_REQUEST with all issues. */
export function parseTokenRequest(request: MintTokenRequest): TokenRequest {
  const { agentId, sessionId, approve, ttlSeconds, maxUsd, subject } = request;
  const issues = new Issues();
  checkId(issues, "agentId", agentId);
  checkId(issues, "sessionId", sessionId);
  checkUsd(issues, "maxUsd", maxUsd);
  checkSubject(issues, subject);
  if (ttlSeconds === 0) issues.add("ttlSeconds", "must be a positive whole number");
  if (approve && sessionId === undefined) {
    issues.add(
      "approve",
      "needs a sessionId: a token approves in one session only, so name it or omit approve",
    );
  }
  issues.refuse();
  return {
    agentId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(approve ? { approve } : {}),
    ...(maxUsd === undefined ? {} : { maxUsd }),
    ...(subject === undefined ? {} : { subject }),
    ttlS: ttlSeconds ?? defaultTtlS,
  };
}

/** A token lives for a day at most, and no longer than the key that mints it. */
export function tokenExpiry(ttlS: number, nowMs: number, keyExpiresAt: Date | undefined): Date {
  const wantedMs = nowMs + Math.min(ttlS, maxTtlS) * 1_000;
  return new Date(Math.min(wantedMs, keyExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY));
}

/** How long a login lives after its last use. */
const loginIdleS = 8 * 3_600;

/** How long the claims of an identity provider count. */
const userLoginS = 24 * 3_600;

/** When the login of a user ends however often it is used. */
export function userLoginEnd(nowMs: number): Date {
  return new Date(nowMs + userLoginS * 1_000);
}

/** When a login ends that is used now and not again. */
export function loginExpiry(nowMs: number, keyExpiresAt: Date | undefined, endsAt: Date | undefined): Date {
  const expiresAt = tokenExpiry(loginIdleS, nowMs, keyExpiresAt);
  return endsAt !== undefined && endsAt < expiresAt ? endsAt : expiresAt;
}
