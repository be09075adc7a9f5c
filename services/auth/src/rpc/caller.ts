import type { HandlerContext } from "@connectrpc/connect";
import {
  type CallPrincipal,
  callerOf,
  forbidden,
  isWorkforce,
  refuseToken,
  requirePermission,
} from "@muster/rpc";
import type { KeyScope } from "../store/keys.ts";

/** The caller of an RPC that needs `admin`. A credential for one agent never has it, whatever its key was given. */
export function adminOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "administer");
  requirePermission(caller, "admin");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent never administers.");
  return caller;
}

/** The caller of an RPC about keys. The workforce service administers nothing but the keys of single agents. */
export function keyAdminOf(call: HandlerContext, agentId: string | undefined): CallPrincipal {
  const caller = adminOf(call);
  if (agentId === undefined && isWorkforce(caller)) {
    throw forbidden("The workforce service only manages the keys of single agents.");
  }
  return caller;
}

/** The caller of an RPC that needs `mint-tokens`. A token never mints or revokes. */
export function minterOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "mint or revoke tokens");
  requirePermission(caller, "mint-tokens");
  return caller;
}

export function keyScopeOf(caller: CallPrincipal): KeyScope {
  return caller.anyProject ? { anyProject: true } : { anyProject: false, projectId: caller.projectId };
}
