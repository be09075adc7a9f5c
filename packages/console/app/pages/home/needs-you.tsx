import type { Approval, ProjectThreadList, WebhookList } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheckBig, CirclePause } from "lucide-react";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { usePending } from "../../parts/use-pending.ts";
import { When } from "../../parts/when.tsx";

interface Need {
  id: string;
  text: string;
  detail: string;
  at: string;
  to: string;
  icon: typeof CircleAlert;
  tone: string;
}

const most = 12;
const dayMs = 86_400_000;

/** Decisions that wait, tasks that failed within a day and deliveries that have stopped; the oldest decision first. */
export function NeedsYou() {
  const { permissions } = useCredential();
  const pending = usePending();
  const manages = permissions.includes("workforce");
  const failed = useApi<ProjectThreadList>(manages ? "/api/admin/workforce/threads" : null, {
    ...{ status: "failed", limit: 100 },
  });
  const webhooks = useApi<WebhookList>(permissions.includes("admin") ? "/api/admin/webhooks" : null);
  const sinceMs = Date.now() - dayMs;
  const needs: Need[] = [
    ...(pending.data?.approvals ?? []).toReversed().map(ofApproval),
    ...(failed.data?.threads ?? []).flatMap(({ agentId, threadId, title, completedAt }) =>
      completedAt === null || Date.parse(completedAt) < sinceMs
        ? []
        : [
            {
              ...{ id: threadId, text: title, detail: "The task failed", at: completedAt },
              to: `/workforce/${agentId}/threads/${threadId}`,
              ...{ icon: CircleAlert, tone: "text-bad" },
            },
          ],
    ),
    ...(webhooks.data?.webhooks ?? []).flatMap(({ id, slug, pausedReason, updatedAt }) =>
      pausedReason === null
        ? []
        : [
            {
              ...{ id, text: `Webhook ${slug} is paused`, detail: pausedReason, at: updatedAt },
              to: "/automation/webhooks",
              ...{ icon: CirclePause, tone: "text-warn" },
            },
          ],
    ),
  ];
  const parts = [pending, failed, webhooks];
  if (parts.some(({ isLoading }) => isLoading)) return <Skeleton lines={3} />;
  const broken = parts.filter(({ error }) => error !== null);
  const error = broken[0]?.error ?? null;
  if (error !== null) {
    const again = () => Promise.all(broken.map(({ refetch }) => refetch()));
    return <Failure error={error} onRetry={() => void again()} />;
  }
  if (needs.length === 0)
    return (
      <p className="rounded-card border border-line bg-panel p-4 text-muted">Nothing needs you. Well done.</p>
    );
  return (
    <ul className="overflow-hidden rounded-card border border-line bg-panel">
      {needs.slice(0, most).map(({ id, text, detail, at, to, icon: Icon, tone }) => (
        <li
          key={id}
          className="relative flex gap-3 border-b border-line px-4 py-2.5 text-table last:border-0 hover:bg-raised"
        >
          <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${tone}`} />
          <div className="min-w-0 flex-1">
            <Link to={to} className="block truncate font-medium after:absolute after:inset-0">
              {text}
            </Link>
            <p className="line-clamp-2 text-small text-muted">{detail}</p>
          </div>
          <span className="text-small text-muted">
            <When at={at} />
          </span>
        </li>
      ))}
      {needs.length > most && (
        <li className="px-4 py-2.5 text-small text-muted">and {needs.length - most} more</li>
      )}
    </ul>
  );
}

function ofApproval({ approvalId, toolName, title, createdAt, sessionId }: Approval): Need {
  return {
    ...{ id: approvalId, text: title ?? toolName, at: createdAt },
    detail: `${sessionId === undefined ? "A teammate" : "A session"} waits for your decision about ${toolName}`,
    to: `/approvals/${approvalId}`,
    ...{ icon: CircleCheckBig, tone: "text-warn" },
  };
}
