import type { Approval, ApprovalList } from "@muster/client";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Empty } from "../../parts/empty.tsx";
import { useKeyNames } from "../../parts/key-names.ts";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Status } from "../../parts/status.tsx";
import { useAgentNames } from "../../parts/use-agents.ts";
import { When } from "../../parts/when.tsx";
import { ApprovalTabs } from "./approval-tabs.tsx";

const page = getRouteApi("/approvals/decided");
const statuses = ["approved", "denied", "expired", "cancelled"] as const;

/** The API does not say when a call was cancelled. */
const endOf = ({ decidedAt, expiresAt, status }: Approval) =>
  decidedAt ?? (status === "expired" ? expiresAt : null);

/** Calls that no longer wait, with who decided and when. */
export function Decided() {
  const { status } = page.useSearch();
  const navigate = useNavigate();
  const filter = (outcome: string) =>
    void navigate({
      to: "/approvals/decided",
      search: outcome === "" ? {} : { status: outcome },
      replace: true,
    });
  const agentName = useAgentNames();
  const keyName = useKeyNames();
  return (
    <Page
      title="Approvals"
      actions={
        <select
          aria-label="Outcome"
          value={status ?? ""}
          onChange={({ target }) => filter(target.value)}
          className="h-8 rounded-card border border-line bg-panel px-2 text-table max-md:h-10"
        >
          <option value="">All outcomes</option>
          {statuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      }
    >
      <div className="flex h-full flex-col">
        <ApprovalTabs open="decided" />
        <List<ApprovalList, Approval>
          label="Decisions"
          path="/api/approvals"
          query={{ status, limit: 100 }}
          rowsOf={({ approvals }) => approvals.filter(({ status }) => status !== "pending")}
          keyOf={({ approvalId }) => approvalId}
          linkOf={({ approvalId }) => ({ to: "/approvals/$approvalId", params: { approvalId } })}
          columns={[
            { title: "Call", cell: ({ title, toolName }) => title ?? toolName },
            { title: "Outcome", width: "8rem", cell: ({ status }) => <Status state={status} /> },
            { title: "Agent", width: "12rem", cell: ({ agentId }) => agentName(agentId) },
            {
              title: "Decided by",
              width: "12rem",
              cell: ({ decidedBy }) => (decidedBy === undefined ? "–" : keyName(decidedBy)),
            },
            {
              title: "When",
              width: "7rem",
              cell: (approval) => <When at={endOf(approval)} />,
            },
          ]}
          second={(approval) => (
            <>
              {approval.status} · {agentName(approval.agentId)} · <When at={endOf(approval)} />
            </>
          )}
          empty={
            <Empty
              title="Nothing has been decided yet"
              command="npx @muster/cli approvals list"
              reference="Approvals"
            >
              Calls that were approved or denied, or that expired, are kept here, with who decided.
            </Empty>
          }
        />
      </div>
    </Page>
  );
}
