import type { HiredAgent } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { muster, refresh, useApi } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Gone, isGone } from "../../parts/gone.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { AgentKeys } from "./agent-keys.tsx";
import { AgentSettings } from "./agent-settings.tsx";
import { AgentStatus } from "./agent-status.tsx";
import { AgentWork } from "./agent-work.tsx";
import { ComputerTokens } from "./computer-tokens.tsx";
import { agentPath } from "./paths.ts";

/** One teammate: its work, its settings, its keys and its computer. */
export function Agent() {
  const { agentId = "" } = useParams({ strict: false });
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
      {isGone(error) ? (
        <Gone title="This teammate does not exist" to="/workforce" others="All teammates">
          It may have been fired.
        </Gone>
      ) : agent !== undefined ? (
        <Parts agent={agent} />
      ) : error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}

function Parts({ agent }: { agent: HiredAgent }) {
  const { tab } = useParams({ strict: false });
  const { agentId, computer, name } = agent;
  const dialsIn = computer.kind !== "sandbox";
  const to = `/workforce/${agentId}`;
  return (
    <>
      <Tabs
        label={name}
        tabs={[
          { label: "Work", to, isExact: true },
          { label: "Settings", to: `${to}/settings` },
          { label: "Keys", to: `${to}/keys` },
          ...(dialsIn ? [{ label: "Computer", to: `${to}/computer` }] : []),
        ]}
      />
      {tab === "settings" ? (
        <AgentSettings agent={agent} />
      ) : tab === "keys" ? (
        <AgentKeys agent={agent} />
      ) : tab === "computer" && dialsIn ? (
        <ComputerTokens id={computer.id ?? agentId} kind={computer.kind} />
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
