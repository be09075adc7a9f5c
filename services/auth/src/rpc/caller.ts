import type { HandlerContext } from "@connectrpc/connect";
import {
  adminOf,
  type CallPrincipal,
  callerOf,
  forbidden,
  isWorkforce,
  refuseToken,
  requirePermission,
} from "@muster/rpc";
import type { KeyHolder, KeyScope } from "../store/keys.ts";

/**
 * The caller of an RPC about keys. The workforce service administers nothing but the keys of single agents, and alone the
 * tokens of computers, which it knows.
 */
export function keyAdminOf(call: HandlerContext, { agentId, computerId }: KeyHolder): CallPrincipal {
  const caller = adminOf(call);
  if (computerId !== undefined && !isWorkforce(caller)) {
    throw forbidden("Only the workforce service manages the tokens of computers.");
  }
  if (agentId === undefined && computerId === undefined && isWorkforce(caller)) {
    throw forbidden(
      "The workforce service only manages the keys of single agents and the tokens of computers.",
    );
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
