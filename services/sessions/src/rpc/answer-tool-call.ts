import { setTimeout } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { argumentsHash, type ToolOutcome } from "@muster/engine";
import { type AnswerToolCallRequest, AnswerToolCallResponseSchema } from "@muster/proto/sessions";
import { callerOf, forbidden, Issues, invalidRequest, isPlatform, Reason, rpcError } from "@muster/rpc";
import { Secret } from "@muster/service";
import { verifyWebhook } from "@muster/service/webhook-signature";
import type { SessionsContext } from "../context.ts";
import { readObject } from "../input/values.ts";
import type { ApprovalDocument, ServiceAnswer } from "../store/approval-store.ts";
import { settleApproval } from "../turns/approvals/settle-approval.ts";
import { maxResultBytes, projectOfCall } from "../turns/remote/call-http-tool.ts";
import type { Handler } from "./handler.ts";

const maxErrorLength = 2_000;
/** A service may answer while the response with which it accepted the call is still on its way. */
const checkAfterMs = [0, 50, 150, 300, 500, 1_000];

/** The first answer counts. Its write makes the turn due, so a process that dies afterwards loses nothing. */
export const answerToolCall: Handler<"answerToolCall"> = async (context, request, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform passes on what services send.");
  const found = await signedCall(context, request, call.signal);
  const answer = await readAnswer(context, request.body);
  const answeredAt = await decide(context, found, answer);
  // A failure here is not the service's: a sweep continues the turn.
  await settleApproval(context, { ...found, status: "answered", decidedAt: answeredAt }).catch(
    (error: unknown) =>
      context.log.warn({ err: error, callId: found._id }, "an answered turn will continue later"),
  );
  return create(AnswerToolCallResponseSchema, { answeredAt: timestampFromDate(answeredAt) });
};

/** Throws UNAUTHENTICATED, after the same time whether the call does not exist or the signature is wrong. */
async function signedCall(
  context: SessionsContext,
  request: AnswerToolCallRequest,
  signal: AbortSignal,
): Promise<ApprovalDocument> {
  const { callId: _id } = request;
  const projectId = projectOfCall(_id) ?? "";
  for (const ms of checkAfterMs) {
    if (ms > 0) await setTimeout(ms, undefined, { signal });
    const found = await context.approvals.find({ _id, projectId });
    if (found !== null && (await isSigned(context, found, request))) return found;
  }
  throw rpcError(Reason.UNAUTHENTICATED, "The call does not exist, or the signature is wrong or too old.");
}

async function isSigned(
  { projectSettings, clock }: SessionsContext,
  { _id, projectId, openCall }: ApprovalDocument,
  { webhookId, webhookTimestamp, webhookSignature, body }: AnswerToolCallRequest,
): Promise<boolean> {
  // The id is signed, so that no result can be sent to another call, and no call of the platform back to it.
  if (openCall === undefined || webhookId !== `result_${_id}`) return false;
  const { toolHosts } = await projectSettings.toolsOf(projectId);
  const { secret } = toolHosts.get(openCall.host) ?? {};
  const headers = {
    "webhook-id": webhookId,
    "webhook-timestamp": webhookTimestamp,
    "webhook-signature": webhookSignature,
  };
  return secret instanceof Secret && verifyWebhook([secret], headers, body, clock.now());
}

/** Throws INVALID_REQUEST. */
async function readAnswer({ clock }: SessionsContext, body: Uint8Array): Promise<ServiceAnswer> {
  if (body.length > maxResultBytes) throw invalidRequest("body", `must have at most ${maxResultBytes} bytes`);
  const issues = new Issues();
  const given = await readObject(issues, "body", Buffer.from(body).toString());
  const { result, error } = given;
  if ((result === undefined) === (error === undefined))
    issues.add("body", "must have either result or error");
  if (error !== undefined && (typeof error !== "string" || error === "" || error.length > maxErrorLength))
    issues.add("error", `must be text of 1 to ${maxErrorLength} characters`);
  issues.refuse();
  const outcome: ToolOutcome["outcome"] =
    error === undefined
      ? { type: "result", result: result ?? null }
      : { type: "error", error: String(error) };
  return {
    answer: JSON.stringify(outcome),
    answerHash: argumentsHash(given),
    decidedAt: new Date(clock.now()),
  };
}

/** When the call was answered. Throws TOOL_CALL_ANSWERED or TOOL_CALL_CLOSED. */
async function decide(
  { approvals, clock }: SessionsContext,
  found: ApprovalDocument,
  answer: ServiceAnswer,
): Promise<Date> {
  const isOverdue = found.expiresAt.getTime() <= clock.now();
  if (isOverdue) await approvals.expire(found, new Date(clock.now()));
  else if (await approvals.answer(found, answer)) return answer.decidedAt;
  const { status, answerHash, decidedAt } = (await approvals.find(found)) ?? found;
  if (status !== "answered" || decidedAt === undefined)
    throw rpcError(Reason.TOOL_CALL_CLOSED, "This call no longer waits for a result.");
  if (answerHash === answer.answerHash) return decidedAt;
  throw rpcError(Reason.TOOL_CALL_ANSWERED, "This call has another result.");
}
