import type { DecideApprovalRequest, RequestedApproval, RequestedToolCall } from "@muster/client";
import { Decision } from "../../parts/decision.tsx";
import { AnswerForm } from "./answer-form.tsx";

interface Props {
  approvals: readonly RequestedApproval[];
  toolCalls: readonly RequestedToolCall[];
  decide: (approvalId: string, decision: DecideApprovalRequest) => Promise<void>;
  answer: (toolCallId: string, outcome: { result: unknown } | { error: string }) => void;
  /** The latest result of a tool, as an example. */
  exampleOf: (toolName: string) => unknown;
}

/** The decisions and results that the turn waits for, each with its form. */
export function WaitingCalls({ approvals, toolCalls, decide, answer, exampleOf }: Props) {
  return (
    <>
      {approvals.map((approval) => (
        <Decision key={approval.approvalId} approval={approval} decide={decide} />
      ))}
      {toolCalls.map((call) => (
        <AnswerForm
          key={call.toolCallId}
          call={call}
          example={exampleOf(call.toolName)}
          onAnswer={(outcome) => answer(call.toolCallId, outcome)}
        />
      ))}
    </>
  );
}
