import type { Schedule } from "@muster/client";
import { muster, refresh } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Edited, ifUnchanged } from "../../../parts/edited.tsx";
import { Form } from "../../../parts/form.tsx";
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
    <Edited item={schedule}>
      {(edited) => (
        <Form
          label="Save"
          save={(values) => save(edited, values)}
          onSaved={onClose}
          beside={
            <Button look="quiet" onClick={onClose}>
              Cancel
            </Button>
          }
        >
          {(at) => scheduleFields(at, edited)}
        </Form>
      )}
    </Edited>
  );
}
