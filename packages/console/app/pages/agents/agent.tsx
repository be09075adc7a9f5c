import type { Agent as Definition } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { createContext, use } from "react";
import { muster, refresh, route, useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Id } from "../../parts/copy.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Gone, isGone } from "../../parts/gone.tsx";
import { Page } from "../../parts/page.tsx";
import { type Tab, Tabs } from "../../parts/tabs.tsx";
import { useDefinedAgents } from "../../parts/use-agents.ts";

const AgentContext = createContext<Definition | undefined>(undefined);

/** The latest version of the agent whose page this is. */
export function useAgent(): Definition {
  const agent = use(AgentContext);
  if (agent === undefined) throw new Error("used outside an agent's page");
  return agent;
}

export function Agent() {
  const { agentId } = useParams({ from: "/agents/$agentId" });
  const { permissions } = useCredential();
  const agent = useApi<Definition>(route`/api/agents/${agentId}`);
  const crumbs = [{ label: "Agents", to: "/agents" }];
  if (agent.data === undefined)
    return (
      <Page title="Agent" crumbs={crumbs}>
        {isGone(agent.error) ? (
          <Gone title="This agent does not exist" to="/agents" others="All agents">
            It may have been archived, or it belongs to another project.
          </Gone>
        ) : (
          <>
            <Tabs label="Parts of the agent" tabs={tabsOf(agentId, permissions.includes("sessions"))} />
            {agent.isPending && <Skeleton />}
            <Failure error={agent.error} onRetry={() => void agent.refetch()} />
          </>
        )}
      </Page>
    );
  const { id, settings } = agent.data;
  const mayChange = permissions.includes("agents");
  return (
    <Page
      title={settings.name}
      crumbs={crumbs}
      aside={
        <span className="flex items-center gap-2 text-small text-muted">
          <code className="font-mono">{settings.slug}</code>
          <span>{settings.format}</span>
          <span className="max-md:hidden">
            <Id id={id} />
          </span>
        </span>
      }
      actions={mayChange && <Archive id={id} slug={settings.slug} />}
    >
      <div className="flex min-h-full flex-col has-[[data-fills=always]]:h-full md:has-data-fills:h-full">
        <Tabs label="Parts of the agent" tabs={tabsOf(agentId, permissions.includes("sessions"))} />
        <Stale error={agent.error} />
        <Managed agentId={id} />
        {/* Another agent begins with a state of its own. */}
        <AgentContext key={id} value={agent.data}>
          <Outlet />
        </AgentContext>
      </div>
    </Page>
  );
}

function tabsOf(agentId: string, mayRun: boolean): Tab[] {
  const to = route`/agents/${agentId}`;
  return [
    ...(mayRun ? [{ label: "Try", to, isExact: true }] : []),
    { label: "Definition", to: `${to}/definition` },
    { label: "Versions", to: `${to}/versions` },
    ...(mayRun ? [{ label: "Sessions", to: `${to}/sessions` }] : []),
  ];
}

/** Another user has archived it, or the server does not respond. The page keeps the text that is being written. */
function Stale({ error }: { error: Error | null }) {
  if (error === null) return null;
  return (
    <div className="mb-4 grid gap-2">
      <p className="text-table text-warn">
        The agent could not be read again. This page shows its last known state.
      </p>
      <Failure error={error} />
    </div>
  );
}

function Managed({ agentId }: { agentId: string }) {
  const { data } = useDefinedAgents();
  if (data?.agents.find(({ id }) => id === agentId)?.managed !== true) return null;
  return (
    <p className="mb-4 rounded-card border border-line bg-raised px-3 py-2 text-table">
      <code className="font-mono text-small">muster apply</code> manages this agent from a folder. Its next
      run replaces what you change here.
    </p>
  );
}

function Archive({ id, slug }: { id: string; slug: string }) {
  const navigate = useNavigate();
  const archive = useMutation({
    mutationFn: () => muster.request("DELETE", route`/api/agents/${id}`),
    onSuccess: async () => {
      await navigate({ to: "/agents" });
      await refresh("/api/agents");
    },
  });
  return (
    <Confirm label="Archive" title={`Archive ${slug}?`} name={slug} onConfirm={() => archive.mutateAsync()}>
      It accepts no new sessions, and its slug becomes free. Its sessions keep working. An archived agent
      cannot be made active again.
    </Confirm>
  );
}
