import type { Webhook } from "@muster/client";
import { muster, refresh } from "../../../api.ts";
import { EditForm } from "../../../parts/edit-form.tsx";
import { ifUnchanged } from "../../../parts/edited.tsx";
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
    <EditForm item={webhook} save={save} onSaved={onClose} onClose={onClose}>
      {webhookFields}
    </EditForm>
  );
}
