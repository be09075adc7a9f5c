import type { DecideApprovalRequest, RequestedApproval, RequestedToolCall } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useCredential } from "../../frame/credential.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/field.tsx";
import { Json } from "../../parts/json.tsx";
import { When } from "../../parts/when.tsx";
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

function Decision({ approval, decide }: { approval: RequestedApproval; decide: Props["decide"] }) {
  const { approvalId, toolName, title, args, expiresAt } = approval;
  const { permissions } = useCredential();
  const [message, setMessage] = useState("");
  const act = useMutation({
    mutationFn: (decision: DecideApprovalRequest["decision"]) =>
      decide(approvalId, { decision, ...(message !== "" && { message }) }),
  });
  return (
    <section
      aria-label={`Approval of ${title ?? toolName}`}
      className="grid grid-cols-1 gap-3 rounded-card border border-warn/60 bg-panel p-4"
    >
      <p>
        <span className="font-medium">{title ?? toolName}</span>{" "}
        <span className="text-table text-muted">
          waits for a decision, which expires <When at={expiresAt} />
        </span>
      </p>
      <Json value={args} label="the arguments" />
      {permissions.includes("approve") ? (
        <>
          <TextField
            label="Message"
            hint="Optional. After a denial, the model reads it."
            value={message}
            onChange={({ target }) => setMessage(target.value)}
          />
          <Failure error={act.error} />
          <div className="flex gap-2">
            <Button look="primary" disabled={act.isPending} onClick={() => act.mutate("approve")}>
              Approve
            </Button>
            <Button look="danger" disabled={act.isPending} onClick={() => act.mutate("deny")}>
              Deny
            </Button>
          </div>
        </>
      ) : (
        <p className="text-table text-muted">Deciding needs a key with the permission `approve`.</p>
      )}
    </section>
  );
}
