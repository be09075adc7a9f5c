import type { AuditPage } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { When } from "../../parts/when.tsx";

const auditLog: string = "/settings/audit";

/** The latest entries of the audit log. */
export function Changes() {
  const { data } = useApi<AuditPage>("/api/admin/audit", { limit: 10 });
  if (data === undefined) return <Skeleton lines={5} />;
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
                by {actor.kind} <span className="font-mono">{actor.id}</span>
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
