import { list, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { body, idOf, nextCursor, openObjectOf, pageQuery, segmentOf, timeOf } from "./common.ts";
import { decideApprovalExample } from "./examples.ts";
import { sender } from "./sessions.ts";
import { uiMessage } from "./ui-message.ts";

const statuses = ["pending", "approved", "denied", "expired", "cancelled"] as const;

export const approvalParams = Type.Object({ approvalId: segmentOf("The id of the approval.") });

export const approvalListQuery = Type.Object({
  status: optional(oneOf("Only approvals with this status.", [...statuses])),
  agentId: optional(idOf("Only calls of this agent.")),
  sessionId: optional(idOf("Only calls of this session.")),
  threadId: optional(idOf("Only calls of this workforce thread.")),
  ...pageQuery("approvals", 20),
});

const fields = {
  approvalId: text("The id to decide it by."),
  status: oneOf("`cancelled`: the turn has ended without the call.", [...statuses]),
  agentId: text("The agent that makes the call, or the workforce agent."),
  agentVersion: Type.Integer({ minimum: 0, description: "The version of the agent's definition." }),
  sessionId: optional(text("The session of the call.")),
  threadId: optional(text("The workforce thread of the call, instead of `sessionId`.")),
  executionId: text("The turn, whose events continue after the decision."),
  toolCallId: text("The id of the call."),
  toolName: text("The tool's name."),
  title: optional(text("The call in the words of the definition.")),
  args: openObjectOf("All arguments of the model, including those that users do not see."),
  editedArgs: optional(openObjectOf("The arguments that were approved instead.")),
  argumentsHash: text("SHA-256 of the model's arguments with sorted keys, in hexadecimal digits."),
  requester: optional(sender),
  createdAt: timeOf("When the call began to wait."),
  expiresAt: timeOf("When it can no longer be decided."),
  decidedAt: optional(timeOf("When it was decided.")),
  decidedBy: optional(text("The id of the key or token that decided.")),
  message: optional(text("The words of the user who decided.")),
};

export const approvalReply = object("Approval", "A tool call that waits for a user's decision.", fields);

export const approvalListReply = object("ApprovalList", "A page of approvals.", {
  approvals: list("The approvals, newest first.", approvalReply),
  nextCursor,
});

export const approvalDetailReply = object("ApprovalDetail", "An approval with its context.", {
  ...fields,
  messages: list(
    "The last messages that users of the conversation see; empty once it has expired.",
    uiMessage,
  ),
});

export const decideApprovalBody = body("DecideApprovalRequest", "The decision.", decideApprovalExample, {
  decision: oneOf("Whether the tool is called.", ["approve", "deny"]),
  message: optional(text("For the record; with `deny`, the model reads it as well.", { maxLength: 2_000 })),
  args: optional(
    openObjectOf("Only with `approve`: the arguments to call the tool with instead of the model's."),
  ),
});
