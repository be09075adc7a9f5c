import type { HandlerContext } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import { type CallPrincipal, callerOf, Issues, requirePermission, rpcError } from "@muster/rpc";
import type { SessionKey } from "../store/moves.ts";
import { checkId } from "./fields.ts";

/** Whoever calls, if they may use sessions at all. */
export function sessionsCaller(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  requirePermission(caller, "sessions");
  return caller;
}

/** The key under which the caller finds a session. A caller limited to one session is refused any other. */
export function keyFor(caller: CallPrincipal, sessionId: string): SessionKey {
  const issues = new Issues();
  checkId(issues, "sessionId", sessionId);
  issues.refuse();
  if (caller.sessionId !== undefined && caller.sessionId !== sessionId) {
    throw forbidden(`This credential is for the session ${caller.sessionId} only.`);
  }
  const { projectId, agentId } = caller;
  return { sessionId, projectId, ...(agentId === undefined ? {} : { agentId }) };
}

/** The session, unless there is none or it belongs to an agent that the caller may not use. */
export function found<T extends { agentId: string }>(key: SessionKey, session: T | null): T {
  if (session === null) throw rpcError(Reason.NOT_FOUND, "There is no such session in this project.");
  assertAgent(key, session.agentId);
  return session;
}

export function assertAgent(limit: { agentId?: string }, agentId: string): void {
  if (limit.agentId === undefined || limit.agentId === agentId) return;
  throw forbidden(`This credential is for the agent ${limit.agentId} only.`);
}

export function forbidden(message: string) {
  return rpcError(Reason.FORBIDDEN, message);
}
