import type { DecideApprovalRequest, RequestedApproval } from "@muster/client";
import { shownTool } from "@muster/video/calls";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useCredential } from "../frame/credential.ts";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";
import { TextField } from "./field.tsx";
import { Json } from "./json.tsx";
import { When } from "./when.tsx";

interface Props {
  approval: RequestedApproval;
  decide: (approvalId: string, decision: DecideApprovalRequest) => Promise<void>;
}

/** A call of a turn or of a run that waits for a user. */
export function Decision({ approval, decide }: Props) {
  const { approvalId, toolName, title = shownTool(toolName), args, expiresAt } = approval;
  const { permissions } = useCredential();
  const [message, setMessage] = useState("");
  const act = useMutation({
    mutationFn: (decision: DecideApprovalRequest["decision"]) =>
      decide(approvalId, { decision, ...(message !== "" && { message }) }),
  });
  return (
    <section
      aria-label={`Approval of ${title}`}
      className="grid grid-cols-1 gap-3 rounded-card border border-warn/60 bg-panel p-4"
    >
      <p>
        <span className="font-medium">{title}</span>{" "}
        <span className="text-table text-muted">
          waits for a decision, and expires <When at={expiresAt} />
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
