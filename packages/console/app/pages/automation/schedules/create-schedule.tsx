import type { Schedule } from "@muster/client";
import { muster, refresh, route } from "../../../api.ts";
import { AgentField } from "../../../parts/agent-field.tsx";
import { Form, textIn } from "../../../parts/form.tsx";
import { Panel } from "../../../parts/split.tsx";
import { hiredAgents } from "../read-of-agents.ts";
import { scheduleFields, scheduleIn } from "./schedule-fields.tsx";

interface Props {
  onClose: () => void;
  onCreated: (schedule: Schedule) => void;
}

async function create(values: FormData): Promise<Schedule> {
  const agentId = textIn(values, "agent") ?? "";
  const path = route`/api/admin/workforce/agents/${agentId}/schedules`;
  const schedule = await muster.request<Schedule>("POST", path, { body: scheduleIn(values) });
  await refresh(hiredAgents);
  return schedule;
}

export function CreateSchedule({ onClose, onCreated }: Props) {
  return (
    <Panel title="New schedule" onClose={onClose}>
      <Form label="Create the schedule" save={create} onSaved={onCreated}>
        {(at) => (
          <>
            <AgentField only="hired" {...at("agent")} />
            {scheduleFields(at)}
          </>
        )}
      </Form>
    </Panel>
  );
}
