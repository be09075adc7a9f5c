import type { UsageReport } from "@muster/client";
import { Download } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { downloadCsv } from "../../parts/download-csv.ts";
import { count, money } from "../../parts/format.ts";
import { Card, Section } from "../../parts/page.tsx";
import { AmountsTable } from "./amounts-table.tsx";
import type { Bar } from "./bars.tsx";
import type { Measure } from "./choices.ts";
import { csvOf } from "./csv-of.ts";
import { eachDay } from "./range.ts";

const Bars = lazy(() => import("./bars.tsx").then((module) => ({ default: module.Bars })));

const formats = { cost: money, tokens: count };

/** Cents on the axis, unless a cent is much. */
const axisFormats = {
  cost: (usd: number) => (usd >= 0.01 || usd === 0 ? `$${usd.toFixed(2)}` : money(usd)),
  tokens: count,
};

/** The days as bars, and as a table for readers of screens and of numbers. */
export function Days({ report, measure }: { report: UsageReport; measure: Measure }) {
  const [pointed, setPointed] = useState<Bar>();
  const format = formats[measure];
  const bars = useMemo(() => {
    const used = new Map(report.groups.map((group) => [group.name, group]));
    return eachDay(report).map((day) => {
      const { inputTokens = 0, outputTokens = 0, totalFeeUsd = 0 } = used.get(day) ?? {};
      return { day, value: measure === "cost" ? Number(totalFeeUsd) : inputTokens + outputTokens };
    });
  }, [report, measure]);
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
