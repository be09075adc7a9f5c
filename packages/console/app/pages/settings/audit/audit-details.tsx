import type { AuditEntry, AuditPage } from "@muster/client";
import type { Query } from "../../../api.ts";
import { Id } from "../../../parts/copy.tsx";
import { Empty, Skeleton } from "../../../parts/empty.tsx";
import { exact } from "../../../parts/format.ts";
import { Json } from "../../../parts/json.tsx";
import { Facts } from "../../../parts/page.tsx";
import { Panel } from "../../../parts/split.tsx";
import { usePages } from "../../../parts/use-pages.ts";

interface Props {
  id: string;
  /** That of the list, whose pages contain the entry. */
  query: Query;
  onClose: () => void;
}

/** One entry. The log has hashes of the settings before and after, and never the settings. */
export function AuditDetails({ id, query, onClose }: Props) {
  // The route has no address for one entry.
  const { rows, isPending } = usePages<AuditPage, AuditEntry>({
    path: "/api/admin/audit",
    query,
    rowsOf: ({ entries }) => entries,
    keyOf: (read) => read.id,
  });
  const entry = rows.find((read) => read.id === id);
  if (entry === undefined)
    return (
      <Panel title="Change" onClose={onClose}>
        {isPending ? (
          <Skeleton />
        ) : (
          <Empty title="This entry is not in the list">Scroll to it, or change the filters.</Empty>
        )}
      </Panel>
    );
  const { actor, before, after } = entry;
  return (
    <Panel title={entry.action} onClose={onClose}>
      <Facts
        rows={[
          ["When", exact(entry.at)],
          ["Outcome", entry.outcome],
          ["Target", <Id key="target" id={entry.target} />],
          ["Actor", actor.kind],
          ["", <Id key="actor" id={actor.id} />],
          ["From", actor.ip ?? "not known"],
          ["Request", <Id key="request" id={entry.requestId} />],
          ["Entry", `number ${entry.number} in the chain`],
          ["Settings", changeOf(before, after)],
        ]}
      />
      <details className="text-table">
        <summary className="text-muted">The entry as JSON</summary>
        <div className="mt-2">
          <Json value={entry} label="the entry" />
        </div>
      </details>
    </Panel>
  );
}

/** Equal hashes mean equal settings. */
function changeOf(before: string | null, after: string | null): string {
  if (before === null && after === null) return "none, or removed";
  if (before === null) return "set, or not known before";
  if (after === null) return "removed";
  return before === after ? "unchanged" : "changed";
}
