import type { Agent, AgentVersionList } from "@muster/client";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { refresh, route, useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field } from "../../parts/field.tsx";
import { When } from "../../parts/when.tsx";
import { useAgent } from "./agent.tsx";
import { beginDraft, hasDraft } from "./definition/use-draft.ts";
import { DefinitionDiff } from "./definition-diff.tsx";

/** All versions, and the changes between any two of them. Without a choice: those of the latest. */
export function Versions() {
  const { id } = useAgent();
  const mayChange = useCredential().permissions.includes("agents");
  const search = getRouteApi("/agents/$agentId/versions").useSearch();
  const navigate = useNavigate({ from: "/agents/$agentId/versions" });
  const { data, error, refetch } = useApi<AgentVersionList>(route`/api/agents/${id}/versions`);
  if (data === undefined)
    return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />;
  const { versions } = data;
  const latest = versions[0]?.version ?? 1;
  const numbers = versions.map(({ version }) => version);
  const known = (chosen: number | undefined, other: number) =>
    numbers.find((version) => version === chosen) ?? other;
  const to = known(search.to, latest);
  const from = known(search.from, Math.max(to - 1, 1));
  const compare = (chosen: { from: number; to: number }) => void navigate({ search: chosen, replace: true });
  return (
    <div className="grid grid-cols-[17rem_minmax(0,1fr)] items-start gap-5 max-md:grid-cols-1">
      <ol
        aria-label="Versions"
        className="overflow-hidden rounded-card border border-line bg-panel text-table"
      >
        {versions.map(({ version, createdAt, changes }) => (
          <li key={version} className="border-b border-line last:border-b-0">
            <button
              type="button"
              aria-current={version === to}
              onClick={() => compare({ from: Math.max(version - 1, 1), to: version })}
              className="grid w-full grid-cols-[auto_1fr_auto] gap-x-2 px-3 py-2 text-left hover:bg-raised aria-[current=true]:bg-raised"
            >
              <span className="font-medium">Version {version}</span>
              <span className="text-muted">{version === latest && "current"}</span>
              <span className="text-muted">
                <When at={createdAt} />
              </span>
              <span className="col-span-3 truncate text-small text-muted">{changes.join(", ")}</span>
            </button>
          </li>
        ))}
      </ol>
      <div className="grid min-w-0 gap-4">
        <div className="flex flex-wrap items-end gap-3">
          <Choice
            label="From version"
            value={from}
            numbers={numbers}
            onChoose={(chosen) => compare({ from: chosen, to })}
          />
          <Choice
            label="To version"
            value={to}
            numbers={numbers}
            onChoose={(chosen) => compare({ from, to: chosen })}
          />
          {to !== latest && mayChange && <Edit version={to} latest={latest} />}
        </div>
        <Changes agentId={id} from={from} to={to} />
      </div>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: number;
  numbers: readonly number[];
  onChoose: (version: number) => void;
}

function Choice({ label, value, numbers, onChoose }: ChoiceProps) {
  return (
    <div className="w-36">
      <Field label={label}>
        {(controls) => (
          <select {...controls} value={value} onChange={({ target }) => onChoose(Number(target.value))}>
            {numbers.map((version) => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

/** Opens the definition of an older version in the editor, as a change of the latest. */
function Edit({ version, latest }: { version: number; latest: number }) {
  const agent = useAgent();
  const navigate = useNavigate();
  const { data } = useApi<Agent>(route`/api/agents/${agent.id}`, { version });
  const edit = async (text: Agent) => {
    beginDraft(agent.id, { version: latest, stored: agent, text });
    await navigate({ to: "/agents/$agentId/definition", params: { agentId: agent.id } });
  };
  if (hasDraft(agent.id))
    return (
      <p className="py-1.5 text-table text-muted">To bring it back, save or discard your changes first.</p>
    );
  return (
    <Button disabled={data === undefined} onClick={() => data !== undefined && void edit(data)}>
      Bring back version {version}
    </Button>
  );
}

function Changes({ agentId, from, to }: { agentId: string; from: number; to: number }) {
  const path = route`/api/agents/${agentId}`;
  const before = useApi<Agent>(path, { version: from });
  const after = useApi<Agent>(path, { version: to });
  const error = before.error ?? after.error;
  if (error !== null) return <Failure error={error} onRetry={() => void refresh(path)} />;
  if (before.data === undefined || after.data === undefined) return <Skeleton />;
  if (from === to)
    return (
      <p className="text-table text-muted">
        Choose two versions to compare. The first version has none before it.
      </p>
    );
  return (
    <DefinitionDiff
      before={before.data}
      after={after.data}
      beforeLabel={`version ${from}`}
      afterLabel={`version ${to}`}
    />
  );
}
