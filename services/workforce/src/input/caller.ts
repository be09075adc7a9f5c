import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, forbidden, refuseToken, requirePermission } from "@muster/rpc";
import type { AgentKey } from "../store/agent-document.ts";

/**
 * The agent whose own key makes the call. Every other agent is FORBIDDEN, existing or not, and so is every credential that is
 * not limited to one agent.
 */
export function agentOf(call: HandlerContext, agentId: string): AgentKey {
  const caller = refuseToken(callerOf(call), "use workforce agents");
  requirePermission(caller, "workforce");
  if (caller.agentId === undefined) {
    throw forbidden("Use the agent's own key (svc_agt_…), which works for this agent only.");
  }
  if (caller.agentId !== agentId) throw forbidden("This key is valid for another agent only.");
  return { projectId: caller.projectId, agentId };
}

/** The caller of an RPC that manages agents. */
export function managerOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "manage workforce agents");
  requirePermission(caller, "workforce");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent manages no agents.");
  return caller;
}
