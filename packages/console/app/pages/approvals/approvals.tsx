import type { Approval } from "@muster/client";
import { Link, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { useKey } from "../../frame/keys.ts";
import { Empty, Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Page } from "../../parts/page.tsx";
import { useAgentNames } from "../../parts/use-agents.ts";
import { When } from "../../parts/when.tsx";
import { ApprovalTabs } from "./approval-tabs.tsx";
import { useAllPending } from "./use-all-pending.ts";

/** The rest is shown as these are decided. */
const maxRows = 200;

/** The calls that wait, the oldest first, beside the one that is open; on a phone, one after the other. */
export function Approvals() {
  const { approvalId } = useParams({ strict: false });
  const { data: pending, error, isPending, refetch } = useAllPending();
  const open = useOpenFirst(pending, approvalId);

  const move = (step: number) => {
    const at = pending?.findIndex((approval) => approval.approvalId === approvalId) ?? -1;
    const next = pending?.[at < 0 ? 0 : at + step];
    if (next !== undefined) open(next.approvalId);
  };
  useKey("j", () => move(1));
  useKey("ArrowDown", () => move(1));
  useKey("k", () => move(-1));
  useKey("ArrowUp", () => move(-1));

  const isEmpty = pending?.length === 0;
  const listShape = approvalId === undefined ? "" : isEmpty ? "hidden" : "max-md:hidden";
  return (
    <Page title="Approvals">
      <div className={approvalId === undefined ? "" : "max-md:hidden"}>
        <ApprovalTabs open="waiting" waiting={pending?.length} />
      </div>
      <div className="grid grid-cols-[minmax(15rem,22rem)_minmax(0,1fr)] items-start gap-6 only-child:grid-cols-1 max-md:grid-cols-1">
        <div className={`${listShape} ${isEmpty ? "col-span-full" : ""}`}>
          {isPending && <Skeleton />}
          {error !== null && pending === undefined && (
            <Failure error={error} onRetry={() => void refetch()} />
          )}
          {isEmpty && approvalId === undefined && <NothingWaits />}
          {pending !== undefined && !isEmpty && <Pending pending={pending} />}
        </div>
        <div className={`min-w-0 ${isEmpty ? "col-span-full" : ""}`}>
          <Outlet />
        </div>
      </div>
    </Page>
  );
}

/** On a wide screen the oldest one is open at once. Its address keeps it open while the list changes. */
function useOpenFirst(pending: readonly Approval[] | undefined, openId: string | undefined) {
  const navigate = useNavigate();
  const open = (approvalId: string) =>
    void navigate({ to: "/approvals/$approvalId", params: { approvalId }, replace: openId !== undefined });
  const firstId = pending?.[0]?.approvalId;
  useEffect(() => {
    if (openId !== undefined || firstId === undefined || !matchMedia("(min-width: 768px)").matches) return;
    void navigate({ to: "/approvals/$approvalId", params: { approvalId: firstId }, replace: true });
  }, [openId, firstId, navigate]);
  return open;
}

function Pending({ pending }: { pending: readonly Approval[] }) {
  const nameOf = useAgentNames();
  return (
    <>
      <ul aria-label="Waiting" className="overflow-hidden rounded-card border border-line bg-panel">
        {pending.slice(0, maxRows).map(({ approvalId, agentId, toolName, title, requester, createdAt }) => (
          <li key={approvalId} className="border-b border-line last:border-0">
            <Link
              to="/approvals/$approvalId"
              params={{ approvalId }}
              className="grid grid-cols-1 gap-0.5 border-l-2 border-transparent px-3 py-2.5 text-table hover:bg-raised aria-[current=page]:border-accent aria-[current=page]:bg-raised"
            >
              <span className="flex items-baseline gap-3">
                <span className="min-w-0 flex-1 truncate font-medium">{title ?? toolName}</span>
                <span className="text-small text-muted">
                  <When at={createdAt} />
                </span>
              </span>
              <span className="truncate text-small text-muted">
                {nameOf(agentId)}
                {requester?.name !== undefined && ` for ${requester.name}`}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {pending.length > maxRows && (
        <p className="mt-2 px-3 text-small text-muted">
          {pending.length - maxRows} newer ones follow as you decide.
        </p>
      )}
      <p className="mt-3 px-3 text-small text-muted max-md:hidden">
        <kbd className="font-mono">J</kbd> <kbd className="font-mono">K</kbd> move,{" "}
        <kbd className="font-mono">A</kbd> approves, <kbd className="font-mono">D</kbd> denies,{" "}
        <kbd className="font-mono">E</kbd> edits, <kbd className="font-mono">R</kbd> shows the raw JSON.
      </p>
    </>
  );
}

function NothingWaits() {
  return (
    <Empty
      title="Nothing waits for a decision"
      command={'tools:\n  refund:\n    approval: { ask: true, title: "Refund {{amount}}" }'}
      reference="Approvals"
    >
      A tool with these lines in its definition waits here before each call.
    </Empty>
  );
}
