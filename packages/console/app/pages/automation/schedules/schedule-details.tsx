import type { Schedule } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh, route } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { ifUnchanged } from "../../../parts/edited.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { ItemPanel } from "../../../parts/item-panel.tsx";
import { Facts, Section } from "../../../parts/page.tsx";
import { Status } from "../../../parts/status.tsx";
import { useAgentNames } from "../../../parts/use-agents.ts";
import { When } from "../../../parts/when.tsx";
import { Managed, PausedReason } from "../managed.tsx";
import { hiredAgents } from "../read-of-agents.ts";
import { useActions } from "../use-actions.ts";
import { EditSchedule } from "./edit-schedule.tsx";
import { Ledger } from "./ledger.tsx";
import { timeIn, timesInWords } from "./times-in-words.ts";

/** `ended`: a single time that has passed. */
export function scheduleState({ enabled, pausedReason, nextRuns }: Schedule): string {
  if (!enabled || pausedReason !== null) return "paused";
  return nextRuns.length > 0 ? "active" : "ended";
}

interface Props {
  agentId: string;
  scheduleId: string;
  onClose: () => void;
}

export function ScheduleDetails({ agentId, scheduleId, onClose }: Props) {
  const path = route`/api/admin/workforce/agents/${agentId}/schedules/${scheduleId}`;
  return (
    <ItemPanel<Schedule, Schedule>
      path={path}
      find={(item) => item}
      kind="schedule"
      titleOf={({ name }) => name}
      onClose={onClose}
    >
      {(schedule) => <Details schedule={schedule} path={path} onClose={onClose} />}
    </ItemPanel>
  );
}

function Details({ schedule, path, onClose }: { schedule: Schedule; path: string; onClose: () => void }) {
  const [isEditing, setEditing] = useState(false);
  const nameOf = useAgentNames();
  const { run, error, isBusy } = useActions(hiredAgents);
  const { agentId, name, timezone, message, nextRuns, pausedReason, overlap, misfire } = schedule;
  const state = scheduleState(schedule);
  const post = (action: string) => run(() => muster.request("POST", `${path}/${action}`));
  const remove = async () => {
    await muster.request("DELETE", path, { headers: ifUnchanged(schedule) });
    onClose();
    await refresh(hiredAgents);
  };
  if (isEditing) return <EditSchedule schedule={schedule} path={path} onClose={() => setEditing(false)} />;
  return (
    <>
      {schedule.managed && <Managed />}
      {pausedReason !== null && <PausedReason reason={pausedReason} />}
      <Facts
        rows={[
          ["State", <Status key="state" state={state} />],
          [
            "Agent",
            <Link key="agent" to={`/workforce/${agentId}`} className="text-accent underline">
              {nameOf(agentId)}
            </Link>,
          ],
          ["When", timesInWords(schedule)],
          ...(schedule.cron === null
            ? []
            : [
                [
                  "Cron",
                  <code key="cron" className="font-mono text-small">
                    {schedule.cron}
                  </code>,
                ] as const,
              ]),
          [
            "Message",
            <span key="message" className="whitespace-pre-wrap">
              {message}
            </span>,
          ],
          ["Overlap", overlap === "queue" ? "waits for the previous run" : "is skipped"],
          ["Missed", misfire === "once" ? "the last one runs late" : "times are skipped"],
        ]}
      />
      <Failure error={error} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={isBusy} onClick={() => post("run")}>
          Run now
        </Button>
        {state !== "ended" && (
          <Button disabled={isBusy} onClick={() => post(state === "paused" ? "resume" : "pause")}>
            {state === "paused" ? "Resume" : "Pause"}
          </Button>
        )}
        <Button onClick={() => setEditing(true)}>Edit</Button>
        <Confirm label="Delete" title={`Delete ${name}?`} name={schedule.slug} onConfirm={remove}>
          Its ledger is lost. The threads that it has started remain.
        </Confirm>
      </div>
      {nextRuns.length > 0 && (
        <Section title="Next runs">
          <ol className="grid gap-1 text-table">
            {nextRuns.map((at) => (
              <li key={at} className="flex justify-between gap-3">
                <span>
                  {timeIn(timezone, at)} <span className="text-muted">{timezone}</span>
                </span>
                <span className="text-muted">
                  <When at={at} />
                </span>
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Ledger path={`${path}/runs`} agentId={agentId} timezone={timezone} />
    </>
  );
}
