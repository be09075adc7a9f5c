import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, forbidden, refuseToken, requirePermission } from "@muster/rpc";

/** The caller, if it may read definitions, perhaps of one agent only; throws FORBIDDEN otherwise. */
export function readerOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "read agents");
  requirePermission(caller, "agents", "sessions");
  return caller;
}

/** The caller, if it may change definitions; throws FORBIDDEN otherwise. */
export function writerOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "manage agents");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent cannot manage agents.");
  requirePermission(caller, "agents");
  return caller;
}

/** The caller, if it may run agents; throws FORBIDDEN otherwise. */
export function runnerOf(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  requirePermission(caller, "sessions", "agents", "workforce");
  return caller;
}

/** The caller, if it may hire workforce agents; throws FORBIDDEN otherwise. */
export function hirerOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "hire agents");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent cannot hire agents.");
  requirePermission(caller, "workforce");
  return caller;
}

/** A credential for one agent reaches only that agent and does not learn which others exist. */
export function assertReaches(caller: CallPrincipal, agentId: string): void {
  if (caller.agentId === undefined || caller.agentId === agentId) return;
  throw forbidden("This credential is valid for another agent only.");
}
