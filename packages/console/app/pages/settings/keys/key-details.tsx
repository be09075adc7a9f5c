import type { KeyList } from "@muster/client";
import { muster, refresh, route, useApi } from "../../../api.ts";
import { useCredential } from "../../../frame/credential.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { Id } from "../../../parts/copy.tsx";
import { Empty, Skeleton } from "../../../parts/empty.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { Form, numberIn } from "../../../parts/form.tsx";
import { Facts } from "../../../parts/page.tsx";
import { Panel } from "../../../parts/split.tsx";
import { useAgents } from "../../../parts/use-agents.ts";
import { When } from "../../../parts/when.tsx";
import { limitFields } from "./limit-fields.tsx";

export function KeyDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useApi<KeyList>("/api/admin/keys");
  const agents = useAgents();
  const { keyId } = useCredential();
  const key = data?.keys.find((listed) => listed.id === id);
  if (key === undefined)
    return (
      <Panel title="Key" onClose={onClose}>
        {data !== undefined ? (
          <Empty title="This key does not exist">It may have been revoked.</Empty>
        ) : error === null ? (
          <Skeleton />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )}
      </Panel>
    );
  const agent = agents.find((known) => known.id === key.agentId)?.name ?? key.agentId;
  const save = async (values: FormData) => {
    const limits = {
      monthlyUsd: numberIn(values, "limits.monthlyUsd"),
      monthlyTokens: numberIn(values, "limits.monthlyTokens"),
    };
    await muster.request("PATCH", route`/api/admin/keys/${id}`, { body: { limits } });
    await refresh("/api/admin/keys", "/api/admin/audit");
  };
  const revoke = async () => {
    await muster.request("DELETE", route`/api/admin/keys/${id}`);
    await refresh("/api/admin/keys", "/api/admin/audit");
    onClose();
  };
  return (
    <Panel title={key.name} onClose={onClose}>
      <Facts
        rows={[
          ["Id", <Id key="id" id={key.id} />],
          ["Permissions", key.permissions.join(", ")],
          ["Agent", agent ?? "any"],
          ["Project", key.anyProject ? "any" : key.projectId],
          ["Created", <When key="created" at={key.createdAt} />],
          ["Last use", key.lastUsedAt === null ? "never" : <When key="used" at={key.lastUsedAt} />],
          ["Expires", key.expiresAt === null ? "never" : <When key="expires" at={key.expiresAt} />],
        ]}
      />
      {!key.anyProject && (
        <Form label="Save the limits" look="plain" save={save}>
          {(at) => limitFields(at, key.limits)}
        </Form>
      )}
      <div>
        <Confirm label="Revoke" title={`Revoke ${key.name}?`} name={key.name} onConfirm={revoke}>
          {key.id === keyId
            ? "You are logged in with this key: you will be logged out. "
            : "What uses it stops at once. "}
          A revoked key never works again.
        </Confirm>
      </div>
    </Panel>
  );
}
