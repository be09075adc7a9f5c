import type { Decision, Input } from "@muster/engine";
import type { SessionsContext } from "../../context.ts";
import type { ApprovalDocument } from "../../store/approval-store.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import { unknownCall } from "./pending-results.ts";

/** The first input of a turn whose approvals and open calls are all decided. Throws UNKNOWN_TOOL_CALL if one is not. */
export async function decisionsOf(
  { approvals }: Pick<SessionsContext, "approvals">,
  { _id: sessionId, projectId, execution }: SessionDocument,
): Promise<Input> {
  const { id: executionId = "", asks } = execution ?? {};
  const found = await approvals.ofTurn({ projectId, sessionId, executionId });
  const asked = found.filter(({ _id }) => asks?.approvalIds.includes(_id));
  if (asked.some(({ status }) => status === "cancelled")) return { type: "abort" };
  const decisions = new Map<string, Decision>();
  for (const approval of asked) {
    if (approval.status === "pending")
      throw unknownCall("The turn waits for a user's decision, or for a service.");
    if (approval.status !== "cancelled") decisions.set(approval._id, decisionOf(approval, approval.status));
  }
  return { type: "decisions", decisions };
}

function decisionOf(
  { decidedAt, decidedBy, message, editedArgs, answer }: ApprovalDocument,
  status: Decision["status"],
): Decision {
  return {
    status,
    ...(decidedAt !== undefined && { decidedAt: decidedAt.toISOString() }),
    ...(decidedBy !== undefined && { decidedBy }),
    ...(message !== undefined && { message }),
    ...(editedArgs !== undefined && { args: JSON.parse(editedArgs) }),
    ...(answer !== undefined && { outcome: JSON.parse(answer) }),
  };
}
