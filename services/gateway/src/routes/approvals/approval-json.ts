import type { JsonObject } from "@bufbuild/protobuf";
import type { Approval } from "@muster/proto/sessions";
import type { Static } from "@muster/wire/schema";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import type { approvalReply } from "../../schemas/approvals.ts";
import { isoOf } from "../../schemas/iso.ts";

type ApprovalJson = Static<typeof approvalReply>;

const statuses = ["pending", "approved", "denied", "expired", "cancelled"] as const;

/** An approval as routes return it. */
export function approvalJson(approval: Approval | undefined): ApprovalJson {
  if (approval === undefined) throw internalProblem(new Error("an approval is missing"));
  const { id, agentId, agentVersion, sessionId, threadId, executionId, toolCallId, toolName } = approval;
  const { title, argsJson, editedArgsJson, argumentsHash, senderJson, decidedAt, decidedBy, message } =
    approval;
  const status = statuses.find((known) => known === approval.status);
  if (status === undefined) throw internalProblem(new Error("the status of an approval is unknown"));
  return {
    ...{ approvalId: id, status, agentId, agentVersion },
    ...(sessionId !== "" && { sessionId }),
    ...(threadId !== "" && { threadId }),
    ...{ executionId, toolCallId, toolName },
    ...(title !== "" && { title }),
    args: objectOf(argsJson),
    ...(editedArgsJson !== "" && { editedArgs: objectOf(editedArgsJson) }),
    argumentsHash,
    ...(senderJson !== "" && { requester: objectOf(senderJson) }),
    createdAt: isoOf(approval.createdAt),
    expiresAt: isoOf(approval.expiresAt),
    ...(decidedAt !== undefined && { decidedAt: isoOf(decidedAt) }),
    ...(decidedBy !== "" && { decidedBy }),
    ...(message !== "" && { message }),
  };
}

function objectOf(json: string): JsonObject {
  return JSON.parse(json);
}
