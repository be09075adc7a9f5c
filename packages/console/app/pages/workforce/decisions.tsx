import type { DecideApprovalRequest, RequestedApproval } from "@muster/client";
import { shownTool } from "@muster/video/calls";
import { useMutation } from "@tanstack/react-query";
import { useCredential } from "../../frame/credential.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Json } from "../../parts/json.tsx";

interface Props {
  approvals: readonly RequestedApproval[];
  onDecide: (approvalId: string, decision: DecideApprovalRequest) => Promise<void>;
}

/** The calls that wait for a user. */
export function Decisions({ approvals, onDecide }: Props) {
  const mayDecide = useCredential().permissions.includes("approve");
  const decide = useMutation({
    mutationFn: ({ id, decision }: { id: string; decision: "approve" | "deny" }) =>
      onDecide(id, { decision }),
  });
  return (
    <>
      {approvals.map(({ approvalId, title, toolName, args }) => (
        <section
          key={approvalId}
          className="grid min-w-0 gap-2 rounded-card border border-warn bg-panel p-3 text-table"
        >
          <p className="font-medium">{title ?? shownTool(toolName)}</p>
          <Json value={args} label="the arguments" />
          {mayDecide && (
            <div className="flex gap-2">
              <Button
                disabled={decide.isPending}
                onClick={() => decide.mutate({ id: approvalId, decision: "approve" })}
              >
                Approve
              </Button>
              <Button
                look="danger"
                disabled={decide.isPending}
                onClick={() => decide.mutate({ id: approvalId, decision: "deny" })}
              >
                Deny
              </Button>
            </div>
          )}
        </section>
      ))}
      <Failure error={decide.error} />
    </>
  );
}
