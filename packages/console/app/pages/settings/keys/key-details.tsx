import type { Key, KeyList } from "@muster/client";
import { muster, refresh, route } from "../../../api.ts";
import { useCredential } from "../../../frame/credential.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { Id } from "../../../parts/copy.tsx";
import { Form, numberIn } from "../../../parts/form.tsx";
import { ItemPanel } from "../../../parts/item-panel.tsx";
import { Facts } from "../../../parts/page.tsx";
import { useAgentNames } from "../../../parts/use-agents.ts";
import { When } from "../../../parts/when.tsx";
import { limitFields } from "./limit-fields.tsx";

export function KeyDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const save = async (values: FormData) => {
    const limits = {
      monthlyUsd: numberIn(values, "limits.monthlyUsd"),
      monthlyTokens: numberIn(values, "limits.monthlyTokens"),
    };
    await muster.request("PATCH", route`/api/admin/keys/${id}`, { body: { limits } });
    await refresh("/api/admin/keys", "/api/admin/audit");
  };
  return (
    <ItemPanel<KeyList, Key>
      path="/api/admin/keys"
      find={({ keys }) => keys.find((key) => key.id === id)}
      kind="key"
      titleOf={({ name }) => name}
      onClose={onClose}
    >
      {(key) => (
        <>
          <KeyFacts of={key} />
          {!key.anyProject && (
            <Form label="Save the limits" look="plain" save={save}>
              {(at) => limitFields(at, key.limits)}
            </Form>
          )}
          <Revoke of={key} onDone={onClose} />
        </>
      )}
    </ItemPanel>
  );
}

function KeyFacts({ of: key }: { of: Key }) {
  const nameOf = useAgentNames();
  return (
    <Facts
      rows={[
        ["Id", <Id key="id" id={key.id} />],
        ["Permissions", key.permissions.join(", ")],
        ["Agent", key.agentId === null ? "any" : nameOf(key.agentId)],
        ["Project", key.anyProject ? "any" : key.projectId],
        ["Created", <When key="created" at={key.createdAt} />],
        ["Last use", key.lastUsedAt === null ? "never" : <When key="used" at={key.lastUsedAt} />],
        ["Expires", key.expiresAt === null ? "never" : <When key="expires" at={key.expiresAt} />],
      ]}
    />
  );
}

function Revoke({ of: { id, name }, onDone }: { of: Key; onDone: () => void }) {
  const { keyId } = useCredential();
  const revoke = async () => {
    await muster.request("DELETE", route`/api/admin/keys/${id}`);
    await refresh("/api/admin/keys", "/api/admin/audit");
    onDone();
  };
  return (
    <div>
      <Confirm label="Revoke" title={`Revoke ${name}?`} name={name} onConfirm={revoke}>
        {id === keyId
          ? "You are logged in with this key: you will be logged out. "
          : "Whatever uses it stops working at once. "}
        A revoked key never works again.
      </Confirm>
    </div>
  );
}
