import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, forbidden, refuseToken, requirePermission } from "@muster/rpc";
import type { AgentKey } from "../store/agent-document.ts";

/**
 * The agent whose work the caller may read and direct: with the agent's own key, or one that manages the project's agents. To a
 * key for one agent, every other agent is FORBIDDEN, existing or not.
 */
export function agentOf(call: HandlerContext, agentId: string): AgentKey {
  const caller = refuseToken(callerOf(call), "use workforce agents");
  requirePermission(caller, "workforce");
  if (caller.agentId !== undefined && caller.agentId !== agentId)
    throw forbidden("This key is valid for another agent only.");
  return { projectId: caller.projectId, agentId };
}

/** The caller of an RPC that manages agents. */
export function managerOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "manage workforce agents");
  requirePermission(caller, "workforce");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent cannot manage agents.");
  return caller;
}
