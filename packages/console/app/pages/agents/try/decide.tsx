import type { DecideApprovalRequest, RequestedApproval } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { Button } from "../../../parts/button.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { Json } from "../../../parts/json.tsx";
import { When } from "../../../parts/when.tsx";

interface Props {
  approval: RequestedApproval;
  /** Absent: the key may not decide. */
  onDecide: ((decision: DecideApprovalRequest) => Promise<void>) | undefined;
}

/** A call that waits for a decision. */
export function Decide({ approval: { toolName, title, args, expiresAt }, onDecide }: Props) {
  const decide = useMutation({ mutationFn: async (decision: DecideApprovalRequest) => onDecide?.(decision) });
  return (
    <section
      aria-label={`Approval of ${toolName}`}
      className="grid gap-3 rounded-card border border-warn bg-panel p-4"
    >
      <p className="text-table">
        <strong className="font-semibold">{title ?? toolName}</strong>
        <span className="text-muted">
          {" "}
          waits for approval, until <When at={expiresAt} />
        </span>
      </p>
      <Json value={args} label="the arguments" />
      <Failure error={decide.error} />
      {onDecide === undefined ? (
        <p className="text-table text-muted">Your key lacks the permission approve.</p>
      ) : (
        <div className="flex justify-end gap-2">
          <Button
            look="danger"
            disabled={decide.isPending}
            onClick={() => decide.mutate({ decision: "deny" })}
          >
            Deny
          </Button>
          <Button
            look="primary"
            disabled={decide.isPending}
            onClick={() => decide.mutate({ decision: "approve" })}
          >
            Approve
          </Button>
        </div>
      )}
    </section>
  );
}
