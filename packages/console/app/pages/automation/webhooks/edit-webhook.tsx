import type { Webhook } from "@muster/client";
import { muster, refresh } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Edited, ifUnchanged } from "../../../parts/edited.tsx";
import { Form } from "../../../parts/form.tsx";
import { webhookFields, webhookIn } from "./webhook-fields.tsx";

interface Props {
  webhook: Webhook;
  path: string;
  onClose: () => void;
}

export function EditWebhook({ webhook, path, onClose }: Props) {
  const save = async (edited: Webhook, values: FormData) => {
    await muster.request("PATCH", path, { headers: ifUnchanged(edited), body: webhookIn(values) });
    await refresh("/api/admin/webhooks");
  };
  return (
    <Edited item={webhook}>
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
          {(at) => webhookFields(at, edited)}
        </Form>
      )}
    </Edited>
  );
}
