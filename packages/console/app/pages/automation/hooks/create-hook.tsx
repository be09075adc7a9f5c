import type { Hook } from "@muster/client";
import { useState } from "react";
import { muster, refresh, route } from "../../../api.ts";
import { AgentField } from "../../../parts/agent-field.tsx";
import { Button } from "../../../parts/button.tsx";
import { Command } from "../../../parts/copy.tsx";
import { Form, textIn } from "../../../parts/form.tsx";
import { Secret } from "../../../parts/secret.tsx";
import { Panel } from "../../../parts/split.tsx";
import { hiredAgents } from "../read-of-agents.ts";
import { hookFields, hookIn } from "./hook-fields.tsx";
import { secretFields } from "./secret-field.tsx";

interface Created {
  hook: Hook;
  secret: string;
}

async function create(values: FormData): Promise<Created> {
  const path = route`/api/admin/workforce/agents/${textIn(values, "agent") ?? ""}/hooks`;
  const { filter, threadKey, ...settings } = hookIn(values);
  const secret = textIn(values, "verify.secret") ?? "";
  const hook = await muster.request<Hook>("POST", path, {
    body: {
      ...settings,
      verify: { type: textIn(values, "verify.type"), secret },
      ...(filter !== null && { filter }),
      ...(threadKey !== null && { threadKey }),
    },
  });
  await refresh(hiredAgents);
  return { hook, secret };
}

export function CreateHook({ onClose, onDone }: { onClose: () => void; onDone: (hook: Hook) => void }) {
  const [created, setCreated] = useState<Created>();
  if (created !== undefined)
    return (
      <Panel title={created.hook.name} onClose={onClose}>
        <p className="text-table">Give the sender this address and this secret:</p>
        <Command text={`${location.origin}${created.hook.url}`} />
        <Secret text={created.secret} name="the secret" />
        <div>
          <Button onClick={() => onDone(created.hook)}>Done</Button>
        </div>
      </Panel>
    );
  return (
    <Panel title="New hook" onClose={onClose}>
      <Form label="Create the hook" save={create} onSaved={setCreated}>
        {(at) => (
          <>
            <AgentField only="hired" {...at("agent")} />
            {hookFields(at)}
            {secretFields(at)}
          </>
        )}
      </Form>
    </Panel>
  );
}
