import type { Schedule, ScheduleList } from "@muster/client";
import { Plus } from "lucide-react";
import { useFilters } from "../../../frame/use-filters.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/empty.tsx";
import { List } from "../../../parts/list.tsx";
import { Split } from "../../../parts/split.tsx";
import { Status } from "../../../parts/status.tsx";
import { When } from "../../../parts/when.tsx";
import { hiredAgents, type OfAgent, type OfAgents, readOfAgents } from "../read-of-agents.ts";
import { CreateSchedule } from "./create-schedule.tsx";
import { ScheduleDetails, scheduleState } from "./schedule-details.tsx";
import { timesInWords } from "./times-in-words.ts";

const read = readOfAgents<ScheduleList, Schedule>("schedules", ({ schedules }) => schedules);

/** The schedules of all workforce agents. */
export function Schedules() {
  const [{ agent, schedule }, setFilters] = useFilters("agent", "schedule");
  const close = () => setFilters({ agent: undefined, schedule: undefined });
  const isOpen = schedule !== undefined;
  return (
    <Split
      details={
        schedule === "new" ? (
          <CreateSchedule
            onClose={close}
            onCreated={({ agentId, id }) => setFilters({ agent: agentId, schedule: id })}
          />
        ) : (
          schedule !== undefined &&
          agent !== undefined && (
            <ScheduleDetails key={schedule} agentId={agent} scheduleId={schedule} onClose={close} />
          )
        )
      }
    >
      <div className="flex items-center gap-3">
        <p className="flex-1 text-muted">Messages that agents get at set times.</p>
        <Button
          look="primary"
          icon={<Plus size={14} aria-hidden="true" />}
          onClick={() => setFilters({ schedule: "new", agent: undefined })}
        >
          New schedule
        </Button>
      </div>
      <List<OfAgents<Schedule>, OfAgent<Schedule>>
        label="Schedules"
        path={`${hiredAgents}/:id/schedules`}
        read={read}
        rowsOf={({ rows }) => rows}
        keyOf={({ item }) => item.id}
        linkOf={({ agentId, item }) => ({
          to: "/automation/schedules",
          search: { agent: agentId, schedule: item.id },
        })}
        columns={[
          { title: "Schedule", cell: ({ item }) => item.name },
          { title: "Agent", width: "minmax(0, 0.6fr)", cell: ({ agentName }) => agentName },
          ...(isOpen ? [] : [{ title: "When", cell: ({ item }: OfAgent<Schedule>) => timesInWords(item) }]),
          {
            title: "State",
            width: "6rem",
            cell: ({ item }) => <Status state={scheduleState(item)} />,
          },
          { title: "Next", width: "6rem", cell: ({ item }) => <When at={item.nextRuns[0]} /> },
          ...(isOpen
            ? []
            : [
                {
                  title: "Last",
                  width: "7rem",
                  cell: ({ item }: OfAgent<Schedule>) => <When at={item.lastRun?.scheduledAt} />,
                },
              ]),
        ]}
        second={({ item, agentName }) => `${agentName} · ${scheduleState(item)} · ${timesInWords(item)}`}
        empty={
          <Empty
            title="No schedule exists yet"
            reference="Schedules"
            command={
              'npx @muster/cli schedules create Lou "Report the failures." --name Report --cron "0 9 * * 1-5" --timezone UTC'
            }
          >
            A schedule starts a task of a workforce agent repeatedly, or once.
          </Empty>
        }
      />
    </Split>
  );
}
