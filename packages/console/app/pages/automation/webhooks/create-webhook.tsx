import type { CreatedWebhook } from "@muster/client";
import { useState } from "react";
import { muster, refresh } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Form } from "../../../parts/form.tsx";
import { Secret } from "../../../parts/secret.tsx";
import { Panel } from "../../../parts/split.tsx";
import { webhookFields, webhookIn } from "./webhook-fields.tsx";

async function create(values: FormData): Promise<CreatedWebhook> {
  const { agentId, description, ...settings } = webhookIn(values);
  const created = await muster.request<CreatedWebhook>("POST", "/api/admin/webhooks", {
    body: {
      ...settings,
      ...(agentId !== null && { agentId }),
      ...(description !== null && { description }),
    },
  });
  await refresh("/api/admin/webhooks");
  return created;
}

interface Props {
  onClose: () => void;
  onDone: (webhook: CreatedWebhook) => void;
}

export function CreateWebhook({ onClose, onDone }: Props) {
  const [created, setCreated] = useState<CreatedWebhook>();
  if (created !== undefined)
    return (
      <Panel title={created.slug} onClose={onClose}>
        <p className="text-table">The receiver checks the signature of each event with this secret.</p>
        <Secret text={created.secret} name="the secret" />
        <div>
          <Button onClick={() => onDone(created)}>Done</Button>
        </div>
      </Panel>
    );
  return (
    <Panel title="New webhook" onClose={onClose}>
      <Form label="Create the webhook" save={create} onSaved={setCreated}>
        {(at) => webhookFields(at)}
      </Form>
    </Panel>
  );
}
