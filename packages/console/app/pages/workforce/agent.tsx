import type { HiredAgent } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { muster, refresh, useApi } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Page } from "../../parts/page.tsx";
import { AgentKeys } from "./agent-keys.tsx";
import { AgentSettings } from "./agent-settings.tsx";
import { AgentStatus } from "./agent-status.tsx";
import { AgentWork } from "./agent-work.tsx";
import { ComputerTokens } from "./computer-tokens.tsx";
import { agentPath } from "./paths.ts";

const page = getRouteApi("/workforce/$agentId");

/** One teammate: its work, its settings, its keys and its computer. */
export function Agent() {
  const { agentId } = page.useParams();
  const { data: agent, error, refetch } = useApi<HiredAgent>(agentPath(agentId));
  return (
    <Page
      title={agent?.name ?? "Workforce agent"}
      crumbs={[{ label: "Workforce", to: "/workforce" }]}
      aside={
        agent !== undefined && (
          <span className="text-table">
            <AgentStatus agent={agent} />
          </span>
        )
      }
      actions={agent !== undefined && <Pause agent={agent} />}
    >
      {agent !== undefined ? (
        <Tabs agent={agent} />
      ) : error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}

function Tabs({ agent }: { agent: HiredAgent }) {
  const { tab = "work" } = page.useSearch();
  const dialsIn = agent.computer.kind !== "sandbox";
  const tabs = [
    ["work", "Work"],
    ["settings", "Settings"],
    ["keys", "Keys"],
    ...(dialsIn ? [["computer", "Computer"] as const] : []),
  ] as const;
  return (
    <>
      <nav aria-label={agent.name} className="-mt-2 mb-5 flex gap-5 overflow-x-auto border-b border-line">
        {tabs.map(([name, label]) => (
          <Link
            key={name}
            to="/workforce/$agentId"
            params={{ agentId: agent.agentId }}
            search={name === "work" ? {} : { tab: name }}
            aria-current={name === tab ? "page" : undefined}
            activeProps={{}}
            className={`-mb-px border-b-2 py-2 text-table font-medium ${name === tab ? "border-accent text-text" : "border-transparent text-muted hover:text-text"}`}
          >
            {label}
          </Link>
        ))}
      </nav>
      {tab === "settings" ? (
        <AgentSettings key={agent.revision} agent={agent} />
      ) : tab === "keys" ? (
        <AgentKeys agent={agent} />
      ) : tab === "computer" && dialsIn ? (
        <ComputerTokens id={agent.computer.id ?? agent.agentId} kind={agent.computer.kind} />
      ) : (
        <AgentWork agent={agent} />
      )}
    </>
  );
}

/** A paused agent finishes its run and starts no other. */
function Pause({ agent: { agentId, paused } }: { agent: HiredAgent }) {
  const change = useMutation({
    mutationFn: () => muster.request("PATCH", agentPath(agentId), { body: { paused: !paused } }),
    onSuccess: () => refresh("/api/admin/workforce"),
  });
  return (
    <>
      {change.error !== null && <span className="text-table text-bad">{change.error.message}</span>}
      <Button disabled={change.isPending} onClick={() => change.mutate()}>
        {paused ? "Resume" : "Pause"}
      </Button>
    </>
  );
}
