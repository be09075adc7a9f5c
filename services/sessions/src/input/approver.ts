import type { HandlerContext } from "@connectrpc/connect";
import { type CallPrincipal, callerOf, isWorkforce, Reason, requirePermission, rpcError } from "@muster/rpc";
import type { ApprovalDocument, ApprovalStore } from "../store/approval-store.ts";

/** The caller. Throws FORBIDDEN unless it may decide, or is the workforce service, which continues its threads. */
export function approverOf(call: HandlerContext): CallPrincipal {
  const caller = callerOf(call);
  if (!isWorkforce(caller)) requirePermission(caller, "approve");
  return caller;
}

/** Throws NOT_FOUND if it does not exist, and if the caller is limited to another session or agent: both look the same. */
export async function foundApproval(
  approvals: Pick<ApprovalStore, "find">,
  { projectId, sessionId, agentId }: CallPrincipal,
  _id: string,
): Promise<ApprovalDocument> {
  const found = await approvals.find({ _id, projectId });
  const isReachable =
    found !== null &&
    found.openCall === undefined &&
    (sessionId ?? found.sessionId) === found.sessionId &&
    (agentId ?? found.agentId) === found.agentId;
  if (!isReachable) throw rpcError(Reason.NOT_FOUND, "The approval does not exist in this project.");
  return found;
}
