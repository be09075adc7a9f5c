import type { SessionList, SessionSummary } from "@muster/client";
import { getRouteApi } from "@tanstack/react-router";
import { Id } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";

const page = getRouteApi("/sessions");

export function Sessions() {
  const { metadata, ...filter } = page.useSearch();
  const [key, value] = metadata?.split("=", 2) ?? [];
  const query = { ...filter, ...(key && value && { [`metadata.${key}`]: value }), limit: 100 };
  return (
    <Page title="Sessions">
      <List<SessionList, SessionSummary>
        label="Sessions"
        path="/api/agent-sessions"
        query={query}
        rowsOf={({ sessions }) => sessions}
        keyOf={({ sessionId }) => sessionId}
        linkOf={({ sessionId }) => ({ to: "/sessions/$sessionId", params: { sessionId } })}
        columns={[
          { title: "Session", cell: ({ title, sessionId }) => title ?? sessionId },
          { title: "State", width: "7rem", cell: ({ status }) => <Status state={status} /> },
          { title: "Id", width: "11rem", cell: ({ sessionId }) => <Id id={sessionId} /> },
          { title: "Changed", width: "8rem", cell: ({ updatedAt }) => <When at={updatedAt} /> },
        ]}
        second={({ status, updatedAt }) => (
          <>
            {status} · <When at={updatedAt} />
          </>
        )}
        empty={<Empty title="There are no sessions yet" />}
      />
    </Page>
  );
}
