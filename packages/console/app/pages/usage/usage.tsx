import type { UsageGroup, UsageReport } from "@muster/client";
import { useApi } from "../../api.ts";
import { useFilters } from "../../frame/use-filters.ts";
import { Empty, Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { useKeyNames } from "../../parts/key-names.ts";
import { Page } from "../../parts/page.tsx";
import { useAgentNames } from "../../parts/use-agents.ts";
import { partColours } from "./bar.ts";
import { type Measure, measures, oneOf, type Split, splits } from "./choices.ts";
import { Days } from "./days.tsx";
import { Groups } from "./groups.tsx";
import { daysOf, type Range, rangeOf, ranges } from "./range.ts";
import { Switch } from "./switch.tsx";
import { Totals } from "./totals.tsx";

const none: readonly UsageGroup[] = [];

export function Usage() {
  const [search, setFilters] = useFilters("range", "by", "of");
  const range = rangeOf(search.range);
  const by = oneOf(splits, search.by, "agent");
  const measure = oneOf(measures, search.of, "cost");
  const choose = (changed: { range?: Range; by?: Split; of?: Measure }) =>
    setFilters(changed, { replace: true });
  const days = daysOf(range);
  const byDay = useApi<UsageReport>("/api/usage", { ...days, groupBy: "day" });
  const grouped = useApi<UsageReport>("/api/usage", { ...days, groupBy: by, dailyTop: partColours.length });
  const nameOf = useGroupNames(by);
  return (
    <Page
      title="Usage"
      actions={
        <>
          <Switch label="Measure" choices={measures} chosen={measure} onChoose={(of) => choose({ of })} />
          <Switch label="Days" choices={ranges} chosen={range} onChoose={(range) => choose({ range })} />
        </>
      }
    >
      {byDay.isPending ? (
        <Skeleton />
      ) : byDay.error !== null ? (
        <Failure error={byDay.error} onRetry={() => void byDay.refetch()} />
      ) : (
        <>
          <Totals report={byDay.data} isThisMonth={range === "this-month"} />
          {byDay.data.total.calls === 0 ? (
            <Empty title="No model was called on these days" command="npx @muster/cli chat support-chat">
              Every call of a session, a worker or a workforce agent counts here.
            </Empty>
          ) : (
            <>
              <Days report={byDay.data} groups={grouped.data?.groups ?? none} {...{ measure, nameOf }} />
              <Groups {...{ grouped, by, measure, nameOf }} onSplit={(by) => choose({ by })} />
            </>
          )}
        </>
      )}
    </Page>
  );
}

const withoutId: Readonly<Record<Split, string>> = {
  agent: "no agent",
  model: "no model",
  key: "no key",
  subject: "no subject",
};

/** Names ids of agents and keys; those that no longer exist keep their id. */
function useGroupNames(by: Split): (id: string | null) => string {
  const same = (id: string) => id;
  const nameOf = { agent: useAgentNames(), key: useKeyNames(), model: same, subject: same }[by];
  return (id) => (id === null ? withoutId[by] : nameOf(id));
}
