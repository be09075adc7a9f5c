import type { Frame, RequestedApproval } from "@muster/engine";
import { type ApprovalDocument, keepApprovalMs } from "../../store/approval-store.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import type { AcceptedCall } from "../remote/call-http-tool.ts";

/** A pause whose process died before it was stored is noticed after this time. */
const firstLookMs = 60_000;

type AskingSession = Pick<SessionDocument, "_id" | "projectId" | "agentId" | "agentVersion" | "workforce">;

/** The documents of the calls that a turn asks about. They are stored before the pause, so that each pause can be decided. */
export function approvalDocuments(
  session: AskingSession,
  { executionId, sender }: Pick<Frame, "executionId" | "sender">,
  approvals: readonly RequestedApproval[],
  nowMs: number,
): ApprovalDocument[] {
  return approvals.map((requested) => {
    const { approvalId, toolCallId, toolName, args, argumentsHash, title, inputSchema } = requested;
    const expiresAt = new Date(requested.expiresAt);
    return {
      ...{ _id: approvalId, ...placeIn(session), executionId },
      ...{ toolCallId, toolName, args: JSON.stringify(args), argumentsHash },
      ...(title !== undefined && { title }),
      ...(inputSchema !== undefined && { inputSchema: JSON.stringify(inputSchema) }),
      ...(sender !== undefined && { sender: JSON.stringify(sender) }),
      ...{ status: "pending" as const, createdAt: new Date(nowMs), expiresAt },
      wakeAt: new Date(Math.min(nowMs + firstLookMs, expiresAt.getTime())),
      keptUntil: new Date(expiresAt.getTime() + keepApprovalMs),
    };
  });
}

/** How long an answer is known after its time, so that a service can repeat it. */
const keepAnswerMs = 24 * 3_600_000;

/** The document of a call that its service has accepted. It is stored at once: the service may answer at any time. */
export function openCallDocument(
  session: AskingSession,
  executionId: string,
  { callId, toolCallId, toolName, host, expiresAt }: AcceptedCall,
  nowMs: number,
): ApprovalDocument {
  return {
    ...{ _id: callId, ...placeIn(session), executionId },
    ...{ toolCallId, toolName, args: "{}", argumentsHash: "", openCall: { host } },
    ...{ status: "pending", createdAt: new Date(nowMs), expiresAt },
    wakeAt: new Date(Math.min(nowMs + firstLookMs, expiresAt.getTime())),
    keptUntil: new Date(expiresAt.getTime() + keepAnswerMs),
  };
}

function placeIn({ _id: sessionId, projectId, agentId, agentVersion, workforce }: AskingSession) {
  return {
    ...{ projectId, agentId: workforce?.agentId ?? agentId, agentVersion, sessionId },
    ...(workforce?.threadId !== undefined && { threadId: workforce.threadId }),
    ...(workforce !== undefined && { isHidden: true as const }),
  };
}
