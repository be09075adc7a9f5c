import type { UsageReport } from "@muster/client";
import { Copy } from "../../parts/copy.tsx";
import { AmountsTable } from "./amounts-table.tsx";
import { amountOf, type Measure, type Split, splits } from "./choices.ts";

interface Props {
  report: UsageReport;
  by: Split;
  measure: Measure;
  nameOf: (id: string | null) => string;
}

/** More rows would stop the page for seconds, and hardly any reader gets that far. */
const mostRows = 200;

/** Each group with its share of the largest one. */
export function GroupsTable({ report: { groups }, by, measure, nameOf }: Props) {
  const sorted = groups.toSorted((one, other) => amountOf(other, measure) - amountOf(one, measure));
  const most = Math.max(...sorted.map((group) => amountOf(group, measure)), 0);
  return (
    <div className="overflow-hidden rounded-card border border-line bg-panel">
      <AmountsTable
        title={splits[by]}
        groups={sorted.slice(0, mostRows)}
        nameOf={(group) => (
          <>
            <span className="flex items-center gap-1">
              <span className="min-w-0 break-words">{nameOf(group.name)}</span>
              {group.name !== null && <Copy text={group.name} label={group.name} />}
            </span>
            <span aria-hidden="true" className="mt-1 block h-1.5 rounded-full bg-line">
              <span
                className="block h-full rounded-full bg-accent"
                style={{ width: `${most === 0 ? 0 : (amountOf(group, measure) / most) * 100}%` }}
              />
            </span>
          </>
        )}
      />
      {sorted.length > mostRows && (
        <p className="border-t border-line px-3 py-2 text-small text-muted">
          {sorted.length - mostRows} more are not listed here. The CSV file has all of them.
        </p>
      )}
    </div>
  );
}
