import { create } from "@bufbuild/protobuf";
import {
  checkValue,
  EffortExceededError,
  isJsonObject,
  type JsonValue,
  type ValueIssue,
} from "@muster/language";
import { Reason } from "@muster/proto/errors";
import { type DecideApprovalRequest, DecideApprovalResponseSchema } from "@muster/proto/sessions";
import {
  type CallPrincipal,
  forbidden,
  type HandlerContext,
  Issues,
  isWorkforce,
  rpcError,
} from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { approverOf, foundApproval } from "../input/approver.ts";
import { readObject } from "../input/values.ts";
import type { ApprovalDocument, UserDecision } from "../store/approval-store.ts";
import { settleApproval } from "../turns/approvals/settle-approval.ts";
import { approvalMessage } from "./approval-message.ts";
import type { Handler } from "./handler.ts";

const maxMessageLength = 2_000;
/** The main loop checks arguments as one piece of work. */
const maxSteps = 500_000;

/** The first decision counts. Its write makes the turn due, so a process that dies afterwards loses nothing. */
export const decideApproval: Handler<"decideApproval"> = async (context, request, call) => {
  const caller = approverOf(call);
  if (isWorkforce(caller)) throw forbidden("Only users decide approvals.");
  const found = await foundApproval(context.approvals, caller, request.id);
  const decision = await readDecision(context, found, request, caller);
  const decided = await decide(context, found, decision, call);
  // A failure here is not the approver's: a sweep continues the turn.
  await settleApproval(context, decided).catch((error: unknown) =>
    context.log.warn({ err: error, approvalId: decided._id }, "a decided turn will continue later"),
  );
  return create(DecideApprovalResponseSchema, { approval: approvalMessage(decided) });
};

/** The decided approval. Throws APPROVAL_DECIDED or APPROVAL_EXPIRED. */
async function decide(
  { approvals, clock, auditEntry }: SessionsContext,
  found: ApprovalDocument,
  decision: UserDecision,
  call: HandlerContext,
): Promise<ApprovalDocument> {
  const { projectId, _id: target } = found;
  const entry = auditEntry(call, "approval.decide", { projectId, target, outcome: decision.status });
  const isOverdue = found.expiresAt.getTime() <= clock.now();
  if (isOverdue) await approvals.expire(found, new Date(clock.now()));
  else if (await approvals.decide(found, decision, entry))
    return { ...found, ...decision, wakeAt: decision.decidedAt };
  const current = (await approvals.find(found)) ?? found;
  if (current.status === "expired")
    throw rpcError(Reason.APPROVAL_EXPIRED, "The time for this decision is over.");
  if (isSame(current, decision)) return current;
  throw rpcError(Reason.APPROVAL_DECIDED, `This approval is ${current.status}.`);
}

/** A repeated request, or the same decision of another user. */
function isSame(current: ApprovalDocument, { status, editedArgs }: UserDecision): boolean {
  return current.status === status && current.editedArgs === editedArgs;
}

/** Throws INVALID_REQUEST with every issue. */
async function readDecision(
  { clock }: SessionsContext,
  found: ApprovalDocument,
  { decision, message, argsJson }: DecideApprovalRequest,
  { keyId, tokenId }: CallPrincipal,
): Promise<UserDecision> {
  const issues = new Issues();
  if (decision !== "approve" && decision !== "deny") issues.add("decision", "must be approve or deny");
  issues.checkLength("message", message, { max: maxMessageLength });
  const isEdited = argsJson !== "";
  if (isEdited && decision === "deny") issues.add("args", "must not be combined with deny");
  const args = await readObject(issues, "args", argsJson);
  if (isEdited) for (const { path, message } of issuesOfArgs(found, args)) issues.add(path, message);
  issues.refuse();
  return {
    status: decision === "approve" ? "approved" : "denied",
    decidedAt: new Date(clock.now()),
    decidedBy: tokenId ?? keyId,
    ...(message !== "" && { message }),
    ...(isEdited && { editedArgs: JSON.stringify(args) }),
  };
}

function issuesOfArgs({ inputSchema }: ApprovalDocument, args: JsonValue): ValueIssue[] {
  const schema: JsonValue = inputSchema === undefined ? null : JSON.parse(inputSchema);
  const issues: ValueIssue[] = [];
  try {
    if (isJsonObject(schema)) checkValue(schema, args, "args", issues, { stepsLeft: maxSteps });
  } catch (error) {
    if (!(error instanceof EffortExceededError)) throw error;
    issues.push({ path: "args", message: "must be smaller to be checked against the tool's parameters" });
  }
  return issues;
}
