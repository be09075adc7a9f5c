import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, requirePermission } from "@muster/rpc";
import type { KeyScope } from "../store/keys.ts";

/** The caller of an RPC that needs `admin`. */
export function adminOf(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  requirePermission(caller, "admin");
  return caller;
}

export function keyScopeOf(caller: CallPrincipal): KeyScope {
  return caller.anyProject ? { anyProject: true } : { anyProject: false, projectId: caller.projectId };
}
