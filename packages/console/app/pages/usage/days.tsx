import type { UsageGroup, UsageReport } from "@muster/client";
import { Download } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { downloadCsv } from "../../parts/download-csv.ts";
import { count, money } from "../../parts/format.ts";
import { Card, Section } from "../../parts/page.tsx";
import { AmountsTable } from "./amounts-table.tsx";
import { type Bar, partColours } from "./bar.ts";
import { amountOf, type Measure } from "./choices.ts";
import { csvOf } from "./csv-of.ts";
import { eachDay } from "./range.ts";

const Bars = lazy(() => import("./bars.tsx").then((module) => ({ default: module.Bars })));

const formats = { cost: money, tokens: count };

/** Cents on the axis, unless a cent is much. */
const axisFormats = {
  cost: (usd: number) => (usd >= 0.01 || usd === 0 ? `$${usd.toFixed(2)}` : money(usd)),
  tokens: count,
};

interface Props {
  report: UsageReport;
  measure: Measure;
  /** The groups that have days are drawn as parts of the bars. */
  groups: readonly UsageGroup[];
  nameOf: (id: string | null) => string;
}

/** The days as bars, and as a table for readers of screens and of numbers. */
export function Days({ report, measure, groups, nameOf }: Props) {
  const [pointed, setPointed] = useState<Bar>();
  const format = formats[measure];
  const parts = useMemo(() => groups.filter(({ days }) => days !== undefined), [groups]);
  const bars = useMemo(() => {
    const used = new Map(report.groups.map((group) => [group.name, group]));
    const daysOf = parts.map(({ days = [] }) => new Map(days.map((day) => [day.day, day])));
    return eachDay(report).map((day) => ({
      ...{ day, value: amountOf(used.get(day), measure) },
      parts: daysOf.map((days) => amountOf(days.get(day), measure)),
    }));
  }, [report, measure, parts]);
  const name = measure === "cost" ? "Cost in US dollars" : "Tokens";
  return (
    <Section
      title={`${name} by day`}
      actions={
        <span className="text-table text-muted" aria-hidden="true">
          {pointed === undefined ? "UTC" : `${pointed.day} · ${format(pointed.value)}`}
        </span>
      }
    >
      <Card>
        <Suspense fallback={<div className="h-[220px]" />}>
          <Bars
            label={`${name} of each day from ${report.from} to ${report.to}. The table of days has the numbers.`}
            bars={bars}
            format={axisFormats[measure]}
            onPoint={setPointed}
          />
        </Suspense>
        <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-small text-muted">
          {parts.map(({ name }, part) => (
            <LegendItem
              key={name}
              name={nameOf(name)}
              colour={`var(${partColours[part]})`}
              amount={pointed && format(pointed.parts[part] ?? 0)}
            />
          ))}
          {groups.length > parts.length && <LegendItem name="Others" colour="var(--faint)" />}
        </ul>
        <details className="mt-3 border-t border-line pt-3 text-table">
          <summary className="text-muted">Table of days</summary>
          <div className="-mx-3 mt-2">
            <AmountsTable title="Day" groups={report.groups} nameOf={({ name }) => name} />
          </div>
          <Button
            className="mt-3"
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() => downloadCsv(`usage-by-day-${report.from}-${report.to}.csv`, csvOf(report))}
          >
            Days as CSV
          </Button>
        </details>
      </Card>
    </Section>
  );
}

function LegendItem({ name, colour, amount }: { name: string; colour: string; amount?: string | undefined }) {
  return (
    <li className="flex min-w-0 items-center gap-1.5">
      <span aria-hidden="true" className="size-2.5 shrink-0 rounded-full" style={{ background: colour }} />
      <span className="truncate">{name}</span>
      {amount}
    </li>
  );
}
