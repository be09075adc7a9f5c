import type { SessionList, SessionSummary } from "@muster/client";
import { Id } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { useAgent } from "./agent.tsx";

export function AgentSessions() {
  const { id } = useAgent();
  return (
    <div data-fills="always" className="flex min-h-80 flex-1 flex-col">
      <List<SessionList, SessionSummary>
        label="Sessions"
        path="/api/agent-sessions"
        query={{ agentId: id, limit: 100 }}
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
        empty={
          <Empty title="This agent has no sessions yet">
            Send a message on its tab Try, or open one through the API.
          </Empty>
        }
      />
    </div>
  );
}
