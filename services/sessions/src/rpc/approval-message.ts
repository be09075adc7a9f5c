import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Approval, ApprovalSchema } from "@muster/proto/sessions";
import type { ApprovalDocument } from "../store/approval-store.ts";

/** An approval between services. */
export function approvalMessage(approval: ApprovalDocument): Approval {
  const { _id: id, status, agentId, agentVersion, sessionId, executionId, threadId = "" } = approval;
  const { toolCallId, toolName, args, editedArgs = "", argumentsHash, title = "", sender = "" } = approval;
  const { createdAt, expiresAt, decidedAt, decidedBy = "", message = "" } = approval;
  return create(ApprovalSchema, {
    ...{ id, status, agentId, agentVersion, executionId },
    // Only the workforce service knows the session of a thread.
    ...(approval.isHidden ? { threadId } : { sessionId }),
    ...{ toolCallId, toolName, argsJson: args, editedArgsJson: editedArgs, argumentsHash, title },
    ...{ senderJson: sender, decidedBy, message },
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    ...(decidedAt !== undefined && { decidedAt: timestampFromDate(decidedAt) }),
  });
}
