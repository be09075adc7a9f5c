import type { UsageReport } from "@muster/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "../../parts/button.tsx";
import { downloadCsv } from "../../parts/download-csv.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { type Measure, type Split, splits } from "./choices.ts";
import { csvOf } from "./csv-of.ts";
import { GroupsTable } from "./groups-table.tsx";
import { Switch } from "./switch.tsx";

interface Props {
  grouped: UseQueryResult<UsageReport>;
  by: Split;
  measure: Measure;
  nameOf: (id: string | null) => string;
  onSplit: (by: Split) => void;
}

/** The same calls by agent, model, key or subject, those that cost the most first. */
export function Groups({ grouped: { data, error, refetch }, by, measure, nameOf, onSplit }: Props) {
  return (
    <Section
      title={`By ${splits[by].toLowerCase()}`}
      actions={
        <div className="flex flex-wrap justify-end gap-2">
          <Switch label="Split by" choices={splits} chosen={by} onChoose={onSplit} />
          <Button
            disabled={data === undefined}
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() =>
              data && downloadCsv(`usage-by-${by}-${data.from}-${data.to}.csv`, csvOf(data, nameOf))
            }
          >
            CSV
          </Button>
        </div>
      }
    >
      {data !== undefined ? (
        <GroupsTable report={data} by={by} measure={measure} nameOf={nameOf} />
      ) : error === null ? (
        <Skeleton lines={4} />
      ) : (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
    </Section>
  );
}
