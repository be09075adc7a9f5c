import type { HandlerContext } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import {
  type CallPrincipal,
  callerOf,
  forbidden,
  Issues,
  isWorkforce,
  requirePermission,
  rpcError,
} from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import type { SessionKey } from "../store/moves.ts";
import { chatPrefix, sharesChats } from "./chat.ts";
import { checkId } from "./values.ts";

/** The caller. Throws FORBIDDEN unless it may use sessions. */
export function driverOf(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  requirePermission(caller, "sessions");
  return caller;
}

/** The sessions that exist for a caller: the workforce service has its own, which no other caller reaches. */
export function sessionsOf(context: SessionsContext, caller: CallPrincipal): SessionsContext {
  return isWorkforce(caller) ? context.hidden : context;
}

/** The key under which the caller finds a session. Throws FORBIDDEN if the caller is limited to another session. */
export function keyFor(caller: CallPrincipal, sessionId: string): SessionKey {
  const issues = new Issues();
  checkId(issues, "sessionId", sessionId);
  issues.refuse();
  if (caller.sessionId !== undefined && caller.sessionId !== sessionId) {
    throw forbidden(`This credential is valid only for the session ${caller.sessionId}.`);
  }
  if (sharesChats(caller) && sessionId.startsWith(chatPrefix)) throw noSession();
  const { projectId, agentId, subject } = caller;
  return {
    ...{ sessionId, projectId },
    ...(agentId === undefined ? {} : { agentId }),
    ...(subject === undefined ? {} : { subject }),
  };
}

/** The session. Throws NOT_FOUND if it does not exist, and if it belongs to an agent or a subject that the caller may not use: the cases look the same. */
export function found<T extends { agentId: string }>(key: SessionKey, session: T | null): T {
  const isReachable = session !== null && (key.agentId ?? session.agentId) === session.agentId;
  if (!isReachable) throw noSession();
  return session;
}

function noSession(): Error {
  return rpcError(Reason.NOT_FOUND, "The session does not exist in this project.");
}

export function assertAgent(limit: { agentId?: string }, agentId: string): void {
  if (limit.agentId === undefined || limit.agentId === agentId) return;
  throw forbidden(`This credential is valid only for the agent ${limit.agentId}.`);
}
