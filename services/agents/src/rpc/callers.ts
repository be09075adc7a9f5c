import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, forbidden, requirePermission } from "@muster/rpc";

/** Who may look at definitions. */
export function readerOf(call: HandlerContext): CallPrincipal {
  const caller = unscoped(call);
  requirePermission(caller, "agents", "sessions");
  return caller;
}

/** Who may change them. */
export function writerOf(call: HandlerContext): CallPrincipal {
  const caller = unscoped(call);
  requirePermission(caller, "agents");
  return caller;
}

/** On whose behalf an agent is run. */
export function runnerOf(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  requirePermission(caller, "sessions", "agents", "workforce");
  return caller;
}

/** A credential for one agent reaches that one only, and does not learn which others there are. */
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
