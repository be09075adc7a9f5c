import type { ProjectList, UsageReport } from "@muster/client";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { count, money } from "../../parts/format.ts";
import { Meter } from "../../parts/meter.tsx";
import { Card } from "../../parts/page.tsx";

/** The totals of the days, and for this month their share of the project's limits. */
export function Totals({ report: { total }, isThisMonth }: { report: UsageReport; isThisMonth: boolean }) {
  const { projectId } = useCredential();
  const { data } = useApi<ProjectList>("/api/admin/projects");
  const limits = data?.projects.find(({ id }) => id === projectId)?.limits;
  const tokens = total.inputTokens + total.outputTokens;
  const facts = [
    [
      "Cost",
      money(total.totalFeeUsd),
      Number(total.bandwidthFeeUsd) > 0 && `${money(total.bandwidthFeeUsd)} of it is the platform’s fee`,
    ],
    ["Tokens", count(tokens), `${count(total.inputTokens)} in, ${count(total.outputTokens)} out`],
    [
      "Model calls",
      count(total.calls),
      total.calls > 0 && `${money(Number(total.totalFeeUsd) / total.calls)} each`,
    ],
  ] as const;
  const hasLimits = limits?.monthlyUsd != null || limits?.monthlyTokens != null;
  return (
    <div className="mb-6 grid grid-cols-3 gap-3 max-md:grid-cols-2">
      {facts.map(([name, value, note]) => (
        <Card key={name}>
          <p className="text-table text-muted">{name}</p>
          <p className="text-title font-semibold">{value}</p>
          <p className="text-small text-muted">{note}</p>
        </Card>
      ))}
      {isThisMonth && limits !== undefined && hasLimits && (
        <Card className="col-span-full grid gap-x-8 gap-y-4 sm:grid-cols-2">
          <Meter
            label="US dollars this month"
            used={Number(total.totalFeeUsd)}
            limit={limits.monthlyUsd}
            format={money}
          />
          <Meter label="Tokens this month" used={tokens} limit={limits.monthlyTokens} format={count} />
        </Card>
      )}
    </div>
  );
}
