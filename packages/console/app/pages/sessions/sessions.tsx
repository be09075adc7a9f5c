import type { SessionList, SessionSummary } from "@muster/client";
import { useMemo } from "react";
import { Id } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { count, plural } from "../../parts/format.ts";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Status } from "../../parts/status.tsx";
import { useDefinedAgents } from "../../parts/use-agents.ts";
import { When } from "../../parts/when.tsx";
import { SessionFilters, useSessionFilters } from "./session-filters.tsx";

/** Every session of the project, the latest change first. */
export function Sessions() {
  const [search] = useSessionFilters();
  const { metadata = "", ...filter } = search;
  const { data: known } = useDefinedAgents();
  const names = useMemo(() => new Map(known?.agents.map(({ id, name }) => [id, name])), [known]);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Sessions" isWhole>
      <div className="flex min-h-0 flex-1 flex-col gap-3 px-6 py-4 max-md:px-4">
        <SessionFilters agents={known?.agents ?? []} />
        <List<SessionList, SessionSummary>
          label="Sessions"
          path="/api/agent-sessions"
          query={{ ...filter, ...metadataQuery(metadata), limit: 100 }}
          rowsOf={({ sessions }) => sessions}
          keyOf={({ sessionId }) => sessionId}
          linkOf={({ sessionId }) => ({ to: "/sessions/$sessionId", params: { sessionId } })}
          columns={[
            {
              title: "Session",
              width: "minmax(0, 2.4fr)",
              cell: ({ title, sessionId }) => title ?? sessionId,
            },
            { title: "Agent", cell: ({ agentId }) => names.get(agentId) ?? agentId },
            {
              title: "Metadata",
              width: "minmax(0, 1.4fr)",
              cell: ({ metadata }) => <Metadata values={metadata} />,
            },
            { title: "State", width: "5.5rem", cell: ({ status }) => <Status state={status} /> },
            { title: "Id", width: "11rem", cell: ({ sessionId }) => <Id id={sessionId} /> },
            {
              title: "Messages",
              width: "5rem",
              isNumber: true,
              cell: ({ messageCount }) => count(messageCount),
            },
            {
              title: "Changed",
              width: "6.5rem",
              isNumber: true,
              cell: ({ updatedAt }) => <When at={updatedAt} />,
            },
          ]}
          second={({ agentId, status, messageCount, updatedAt }) => (
            <>
              {names.get(agentId) ?? agentId} ·{" "}
              {status === "active" ? plural(messageCount, "message") : status} · <When at={updatedAt} />
            </>
          )}
          empty={isFiltered ? <NoneMatch /> : <NoneYet />}
        />
      </div>
    </Page>
  );
}

/** `user=ada, plan=pro` as the parameters of the API. */
function metadataQuery(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const [, key, value] = /^\s*([^=]+)=(.+?)\s*$/.exec(pair) ?? [];
    return key !== undefined && value !== undefined ? [[`metadata.${key}`, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function Metadata({ values }: { values: Record<string, string> }) {
  const text = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return (
    <span className="font-mono text-small text-muted" title={text.join("\n")}>
      {text.join(" ")}
    </span>
  );
}

function NoneMatch() {
  return (
    <Empty title="No session matches">
      Filters need whole values: <code className="font-mono text-small">user=ada</code> does not find{" "}
      <code className="font-mono text-small">user=ada-2</code>.
    </Empty>
  );
}

function NoneYet() {
  return (
    <Empty title="There are no sessions yet" command="npx @muster/cli chat support-chat" reference="Sessions">
      A session is a conversation with an agent. This command opens one with the example agent.
    </Empty>
  );
}
