import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, forbidden, requirePermission } from "@muster/rpc";

/** The caller, if it may read definitions; throws FORBIDDEN otherwise. */
export function readerOf(call: HandlerContext): CallPrincipal {
  const caller = unscoped(call);
  requirePermission(caller, "agents", "sessions");
  return caller;
}

/** The caller, if it may learn which agents exist; throws FORBIDDEN otherwise. */
export function finderOf(call: HandlerContext): CallPrincipal {
  const caller = unscoped(call);
  requirePermission(caller, "admin", "agents", "sessions");
  return caller;
}

/** The caller, if it may change definitions; throws FORBIDDEN otherwise. */
export function writerOf(call: HandlerContext): CallPrincipal {
  const caller = unscoped(call);
  requirePermission(caller, "agents");
  return caller;
}

/** The caller, if it may run agents; throws FORBIDDEN otherwise. */
export function runnerOf(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  requirePermission(caller, "sessions", "agents", "workforce");
  return caller;
}

/** A credential for one agent reaches only that agent and does not learn which others exist. */
export function assertReaches(caller: CallPrincipal, agentId: string): void {
  if (caller.agentId === undefined || caller.agentId === agentId) return;
  throw forbidden("This credential is valid for another agent only.");
}

/** Tokens and agent keys drive sessions and runs; they never read or manage definitions. */
function unscoped(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  if (caller.agentId !== undefined || caller.sessionId !== undefined) {
    throw forbidden("A credential that is limited to one agent or session cannot read or manage agents.");
  }
  return caller;
}
