import type { Schedule } from "@muster/client";
import { muster, refresh } from "../../../api.ts";
import { EditForm } from "../../../parts/edit-form.tsx";
import { ifUnchanged } from "../../../parts/edited.tsx";
import { hiredAgents } from "../read-of-agents.ts";
import { scheduleFields, scheduleIn } from "./schedule-fields.tsx";

interface Props {
  schedule: Schedule;
  path: string;
  onClose: () => void;
}

export function EditSchedule({ schedule, path, onClose }: Props) {
  const save = async (edited: Schedule, values: FormData) => {
    const headers = ifUnchanged(edited);
    await muster.request("PATCH", path, { headers, body: scheduleIn(values) });
    await refresh(hiredAgents);
  };
  return (
    <EditForm item={schedule} save={save} onSaved={onClose} onClose={onClose}>
      {scheduleFields}
    </EditForm>
  );
}
