import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, forbidden, requirePermission } from "@muster/rpc";
import type { KeyScope } from "../store/keys.ts";

/** The caller of an RPC that needs `admin`. A credential for one agent never has it, whatever its key was given. */
export function adminOf(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  requirePermission(caller, "admin");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent never administers.");
  return caller;
}

export function keyScopeOf(caller: CallPrincipal): KeyScope {
  return caller.anyProject ? { anyProject: true } : { anyProject: false, projectId: caller.projectId };
}
