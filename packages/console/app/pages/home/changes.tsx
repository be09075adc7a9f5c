import type { AuditPage } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { useKeyNames } from "../../parts/key-names.ts";
import { When } from "../../parts/when.tsx";

const auditLog: string = "/settings/audit";

/** The latest entries of the audit log. */
export function Changes() {
  const keyName = useKeyNames();
  const { data, error, refetch } = useApi<AuditPage>("/api/admin/audit", { limit: 10 });
  if (data === undefined)
    return error === null ? <Skeleton lines={5} /> : <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <div className="overflow-hidden rounded-card border border-line bg-panel text-table">
      <ul>
        {data.entries.map(({ id, action, target, actor, at }) => (
          <li key={id} className="flex gap-3 border-b border-line px-4 py-2">
            <div className="min-w-0 flex-1">
              <p className="truncate">
                {action} <span className="font-mono text-small text-muted">{target}</span>
              </p>
              <p className="truncate text-small text-muted">
                by {actor.kind} {actor.kind === "key" ? keyName(actor.id) : actor.id}
              </p>
            </div>
            <span className="text-small text-muted">
              <When at={at} />
            </span>
          </li>
        ))}
      </ul>
      <p className="px-4 py-2.5 text-small">
        <Link to={auditLog} className="text-accent hover:underline">
          The whole audit log
        </Link>
      </p>
    </div>
  );
}
