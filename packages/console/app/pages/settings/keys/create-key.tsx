import type { CreatedKey } from "@muster/client";
import { useState } from "react";
import { muster, refresh } from "../../../api.ts";
import { AgentField } from "../../../parts/agent-field.tsx";
import { Button } from "../../../parts/button.tsx";
import { Choices } from "../../../parts/choices.tsx";
import { TextField } from "../../../parts/field.tsx";
import { Form, numberIn, textIn } from "../../../parts/form.tsx";
import { Secret } from "../../../parts/secret.tsx";
import { Panel } from "../../../parts/split.tsx";
import { limitFields } from "./limit-fields.tsx";

const permissions = [
  { value: "sessions", hint: "talk to agents, read their sessions" },
  { value: "agents", hint: "change definitions" },
  { value: "mint-tokens", hint: "mint tokens for browsers" },
  { value: "workforce", hint: "hire agents, give them tasks" },
  { value: "approve", hint: "decide on tool calls" },
  { value: "admin", hint: "everything, including keys and settings" },
];

async function createKey(values: FormData): Promise<CreatedKey> {
  const date = textIn(values, "expiresAt");
  const created = await muster.request<CreatedKey>("POST", "/api/admin/keys", {
    body: {
      name: textIn(values, "name") ?? "",
      permissions: values.getAll("permissions"),
      agentId: textIn(values, "agentId"),
      expiresAt: date && new Date(`${date}T23:59:59`).toISOString(),
      limits: {
        monthlyUsd: numberIn(values, "limits.monthlyUsd"),
        monthlyTokens: numberIn(values, "limits.monthlyTokens"),
      },
    },
  });
  await refresh("/api/admin/keys", "/api/admin/audit");
  return created;
}

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey>();
  if (created !== undefined)
    return (
      <Panel title={`The key ${created.name}`} onClose={onClose}>
        <Secret text={created.key} name="the key" />
        <div>
          <Button onClick={onClose}>Done</Button>
        </div>
      </Panel>
    );
  return (
    <Panel title="New key" onClose={onClose}>
      <Form label="Create the key" save={createKey} onSaved={setCreated}>
        {(at) => (
          <>
            <TextField label="Name" hint="What the key is for." autoComplete="off" {...at("name")} />
            <Choices label="Permissions" choices={permissions} {...at("permissions")} />
            <AgentField hint="The only agent that the key may use." {...at("agentId")} />
            <TextField
              label="Last day"
              type="date"
              hint="Until its end, in your time zone. Empty: the key never expires."
              {...at("expiresAt")}
            />
            {limitFields(at)}
          </>
        )}
      </Form>
    </Panel>
  );
}
