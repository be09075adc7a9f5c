import type { AgentKeyList, CreatedAgentKey, HiredAgent } from "@muster/client";
import { muster, useApi } from "../../api.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Secret } from "../../parts/secret.tsx";
import { CredentialTable } from "./credential-table.tsx";
import { agentPath } from "./paths.ts";

/** Keys that act on this agent and on nothing else. */
export function AgentKeys({ agent: { agentId, name } }: { agent: HiredAgent }) {
  const path = `${agentPath(agentId)}/keys`;
  const { data, error, refetch } = useApi<AgentKeyList>(path);
  if (data === undefined)
    return error === null ? <Skeleton lines={3} /> : <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <p className="mb-4 max-w-3xl text-table text-muted">
        A key of {name} can give it tasks and read its threads, and nothing else, so a pipeline can have one.
      </p>
      <CredentialTable<CreatedAgentKey>
        kind="key"
        rows={data.keys}
        path={path}
        onCreate={(keyName) => muster.request("POST", path, { body: { name: keyName } })}
        onRevoke={(id) => muster.request("DELETE", `${path}/${id}`)}
        created={({ key }) => <Secret text={key} name={`the new key of ${name}`} />}
      />
    </>
  );
}
