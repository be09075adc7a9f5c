import type { ScheduleRun, ScheduleRunList } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Skeleton } from "../../../parts/empty.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { Section } from "../../../parts/page.tsx";
import { Status } from "../../../parts/status.tsx";
import { timeIn } from "./times-in-words.ts";

const tones = { succeeded: "good", failed: "bad", fired: "accent", skipped: "muted" } as const;

interface Props {
  path: string;
  agentId: string;
  timezone: string;
}

/** Each time of the schedule, with its outcome. */
export function Ledger({ path, agentId, timezone }: Props) {
  const [limit, setLimit] = useState(20);
  const { data, error, refetch } = useApi<ScheduleRunList>(path, { limit });
  return (
    <Section title="Ledger">
      {data === undefined && error === null && <Skeleton lines={3} />}
      <Failure error={data === undefined ? error : null} onRetry={() => void refetch()} />
      {data?.runs.length === 0 && <p className="text-table text-muted">It has not run yet.</p>}
      <ul aria-label="Runs" className="grid gap-2 text-table">
        {data?.runs.map((run) => (
          <Run key={run.id} run={run} agentId={agentId} timezone={timezone} />
        ))}
      </ul>
      {typeof data?.nextCursor === "string" && limit < 100 && (
        <Button look="quiet" className="mt-2" onClick={() => setLimit(100)}>
          Show up to 100
        </Button>
      )}
    </Section>
  );
}

function Run({ run, agentId, timezone }: { run: ScheduleRun; agentId: string; timezone: string }) {
  const { scheduledAt, until, manual, status, reason, problem, threadId, outcome } = run;
  const state = outcome ?? status;
  const tone = Object.entries(tones).find(([known]) => known === state)?.[1];
  return (
    <li className="grid gap-0.5 border-b border-line pb-2 last:border-0">
      <span className="flex flex-wrap items-center gap-x-3">
        <span className="flex-1">
          {timeIn(timezone, scheduledAt)}
          {until !== null && ` to ${timeIn(timezone, until)}`}
          {manual && <span className="text-muted"> · by hand</span>}
        </span>
        <Status state={state} {...(tone !== undefined && { tone })} />
      </span>
      {(reason !== null || problem !== null) && (
        <span className="text-small text-muted">{problem ?? reason}</span>
      )}
      {threadId !== null && (
        <Link
          to={`/workforce/${agentId}/threads/${threadId}`}
          className="w-fit text-small text-accent underline"
        >
          Its thread
        </Link>
      )}
    </li>
  );
}
