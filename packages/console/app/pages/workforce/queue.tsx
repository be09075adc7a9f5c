import type { HiredAgent, Thread, ThreadList, WorkQueue } from "@muster/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../../api.ts";
import { Failure } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { taskOf } from "./last-line.ts";
import { agentPath, threadPath } from "./paths.ts";
import { StopThread } from "./stop-thread.tsx";

/** A cancelled thread occupies the agent until its commands have ended. */
const open = ["queued", "pending", "running"];

/** The thread that occupies the agent, and those that wait behind it, in their order. */
export function Queue({ agent: { agentId } }: { agent: HiredAgent }) {
  const { data, error, refetch } = useApi<WorkQueue>(`${agentPath(agentId)}/queue`);
  const threads = useApi<ThreadList>(`${agentPath(agentId)}/threads`, { limit: 100 });
  const { current = null, queued = [] } = data ?? {};
  // It can be older than the threads of the list.
  const { data: now } = useApi<Thread>(current === null ? null : threadPath(agentId, current));
  const titleOf = (id: string, otherwise = id) =>
    threads.data?.threads.find(({ threadId }) => threadId === id)?.title ?? otherwise;
  const waiting = [
    ...(now === undefined
      ? []
      : [
          {
            threadId: now.threadId,
            title: titleOf(now.threadId, taskOf(now.messages)),
            status: now.status,
            note: now.status === "queued" ? "next" : "now",
          },
        ]),
    ...queued.map(({ threadId, position, createdAt }) => ({
      threadId,
      title: titleOf(threadId),
      status: "queued",
      note: (
        <>
          {position} · <When at={createdAt} />
        </>
      ),
    })),
  ];
  return (
    <Section title="Queue">
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      <ol className="overflow-hidden rounded-card border border-line bg-panel text-table">
        {waiting.map(({ note, status, ...thread }) => (
          <Row key={thread.threadId} agentId={agentId} note={note} {...thread}>
            {open.includes(status) && <StopThread status={status} agentId={agentId} {...thread} />}
          </Row>
        ))}
        {data !== undefined && current === null && waiting.length === 0 && (
          <li className="px-3 py-2.5 text-muted">Nothing is running or waiting.</li>
        )}
        {(data === undefined || (current !== null && now === undefined)) && (
          <li className="h-11 bg-raised opacity-70" />
        )}
      </ol>
    </Section>
  );
}

interface RowProps {
  agentId: string;
  threadId: string;
  title: string;
  note: ReactNode;
  children?: ReactNode;
}

function Row({ agentId, threadId, title, note, children }: RowProps) {
  return (
    <li className="flex items-center gap-2 border-b border-line px-3 py-1.5 last:border-b-0">
      <div className="min-w-0 flex-1">
        <Link
          to="/workforce/$agentId/threads/$threadId"
          params={{ agentId, threadId }}
          className="block truncate hover:underline"
        >
          {title}
        </Link>
        <p className="text-small text-muted">{note}</p>
      </div>
      {children}
    </li>
  );
}
