import type { Approval, ApprovalDetail } from "@muster/client";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { route, useApi } from "../../api.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Gone, isGone } from "../../parts/gone.tsx";
import { ApprovalDetails } from "./approval-details.tsx";
import { useAllPending } from "./use-all-pending.ts";

/** One approval. After its decision the next one follows; the last one stays with its outcome. */
export function OpenApproval() {
  const { approvalId } = useParams({ from: "/approvals/$approvalId" });
  const [decided, setDecided] = useState<Approval>();
  const { data: approval, error, refetch } = useApi<ApprovalDetail>(route`/api/approvals/${approvalId}`);
  const { data: pending = [] } = useAllPending();
  const navigate = useNavigate();

  const openNext = (outcome: Approval) => {
    setDecided(outcome);
    const at = pending.findIndex((other) => other.approvalId === outcome.approvalId);
    const next = pending[at + 1] ?? pending.find((other) => other.approvalId !== outcome.approvalId);
    if (next === undefined) return;
    void navigate({
      to: "/approvals/$approvalId",
      params: { approvalId: next.approvalId },
      replace: true,
    });
  };

  return (
    <article className="grid grid-cols-1 gap-4">
      <Link to="/approvals" className="text-table text-accent md:hidden">
        ← All approvals
      </Link>
      {decided !== undefined && decided.approvalId !== approvalId && <Decided approval={decided} />}
      {approval === undefined && error === null && <Skeleton />}
      {approval === undefined && isGone(error) && (
        <Gone title="This approval does not exist" to="/approvals" others="All approvals">
          It was deleted with its session or task, or the address is wrong.
        </Gone>
      )}
      {approval === undefined && !isGone(error) && <Failure error={error} onRetry={() => void refetch()} />}
      {approval !== undefined && (
        <ApprovalDetails key={approvalId} approval={approval} onDecided={openNext} />
      )}
    </article>
  );
}

/** The decision before this one. */
function Decided({ approval: { approvalId, status, title, toolName } }: { approval: Approval }) {
  return (
    <p role="status" className="rounded-card border border-line bg-raised px-3 py-2 text-table text-muted">
      You have {status}{" "}
      <Link to="/approvals/$approvalId" params={{ approvalId }} className="text-text underline">
        {title ?? toolName}
      </Link>
      . This is the next one.
    </p>
  );
}
