import type { Key, KeyList, Project, ProjectList, UsageReport } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Empty, Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { count, money } from "../../parts/format.ts";
import { Meter } from "../../parts/meter.tsx";
import { Card, Facts, Section } from "../../parts/page.tsx";

/** The limits of the month, and how much of each is used. */
export function Limits() {
  const { projectId } = useCredential();
  const projects = useApi<ProjectList>("/api/admin/projects");
  const usage = useApi<UsageReport>("/api/usage", { groupBy: "key" });
  const keys = useApi<KeyList>("/api/admin/keys");
  const project = projects.data?.projects.find(({ id }) => id === projectId);
  if (project === undefined || usage.data === undefined || keys.data === undefined) {
    const failed = projects.error ?? usage.error ?? keys.error;
    if (failed === null) return <Skeleton lines={2} size="h-44" className="max-w-3xl gap-8" />;
    const again = () => Promise.all([projects.refetch(), usage.refetch(), keys.refetch()]);
    return <Failure error={failed} onRetry={() => void again()} />;
  }
  const limited = keys.data.keys.filter(
    ({ limits }) => limits.monthlyUsd !== null || limits.monthlyTokens !== null,
  );
  return (
    <div className="max-w-3xl">
      <ProjectLimits project={project} report={usage.data} />
      <Section title="Keys">
        {limited.length === 0 ? (
          <Empty title="No key has a limit">Open a key to limit what its bearer may spend in a month.</Empty>
        ) : (
          <Card className="grid gap-5">
            {limited.map((key) => (
              <KeyLimits key={key.id} of={key} report={usage.data} />
            ))}
          </Card>
        )}
      </Section>
    </div>
  );
}

const editShape = "text-table text-accent underline";

function ProjectLimits({ project: { id, name, limits }, report }: { project: Project; report: UsageReport }) {
  const { total } = report;
  const limit = (value: number | null, format: (value: number) => string) =>
    value === null ? <span className="text-muted">no limit</span> : format(value);
  return (
    <Section
      title={`The project ${name}`}
      actions={
        <Link to="/settings/projects" search={{ project: id }} className={editShape}>
          Change the limits
        </Link>
      }
    >
      <Card className="grid gap-5">
        <Meter
          label="US dollars this month"
          used={Number(total.totalFeeUsd)}
          limit={limits.monthlyUsd}
          format={money}
        />
        <Meter
          label="Tokens this month"
          used={total.inputTokens + total.outputTokens}
          limit={limits.monthlyTokens}
          format={count}
        />
        <Facts
          rows={[
            ["Each subject", limit(limits.perSubject.monthlyUsd, money)],
            ["Workforce, US dollars", limit(limits.workforceMonthlyUsd, money)],
            ["Workforce, tokens", limit(limits.workforceMonthlyTokens, count)],
            ["Workforce, runs", limit(limits.workforceMonthlyRuns, count)],
            [
              "Requests a minute",
              limits.requestsPerMinute === null
                ? "the installation’s limit"
                : count(limits.requestsPerMinute),
            ],
          ]}
        />
      </Card>
    </Section>
  );
}

function KeyLimits({ of: { id, name, limits }, report }: { of: Key; report: UsageReport }) {
  const used = report.groups.find((group) => group.name === id);
  return (
    <div className="grid gap-2">
      <Link to="/settings/keys" search={{ key: id }} className={`${editShape} justify-self-start`}>
        {name}
      </Link>
      {limits.monthlyUsd !== null && (
        <Meter
          label="US dollars"
          used={Number(used?.totalFeeUsd ?? 0)}
          limit={limits.monthlyUsd}
          format={money}
        />
      )}
      {limits.monthlyTokens !== null && (
        <Meter
          label="Tokens"
          used={(used?.inputTokens ?? 0) + (used?.outputTokens ?? 0)}
          limit={limits.monthlyTokens}
          format={count}
        />
      )}
    </div>
  );
}
