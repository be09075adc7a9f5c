import type { HiredAgent, ThreadList, WorkQueue } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { muster, refresh, useApi } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { agentPath } from "./paths.ts";

/** The thread that occupies the agent, and those that wait behind it, in their order. */
export function Queue({ agent: { agentId } }: { agent: HiredAgent }) {
  const { data, error, refetch } = useApi<WorkQueue>(`${agentPath(agentId)}/queue`);
  const threads = useApi<ThreadList>(`${agentPath(agentId)}/threads`, { limit: 100 });
  const threadOf = (id: string) => threads.data?.threads.find(({ threadId }) => threadId === id);
  const withdraw = useMutation({
    mutationFn: (threadId: string) => muster.workforce.open(agentId, threadId).withdraw(),
    onSettled: () => refresh("/api/admin/workforce"),
  });
  const { current = null, queued = [] } = data ?? {};
  const isRunning = current !== null && threadOf(current)?.status === "running";
  const waiting = [
    ...(current === null ? [] : [{ threadId: current, note: isRunning ? "now" : "next" }]),
    ...queued.map(({ threadId, position, createdAt }) => ({
      threadId,
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
        {waiting.map(({ threadId, note }) => {
          const { title = threadId, status } = threadOf(threadId) ?? {};
          return (
            <Row key={threadId} agentId={agentId} threadId={threadId} title={title} note={note}>
              {status !== "running" && (
                <Button
                  look="quiet"
                  className="-mr-2"
                  aria-label={`Withdraw ${title}`}
                  disabled={withdraw.isPending && withdraw.variables === threadId}
                  onClick={() => withdraw.mutate(threadId)}
                >
                  Withdraw
                </Button>
              )}
            </Row>
          );
        })}
        {data !== undefined && waiting.length === 0 && (
          <li className="px-3 py-2.5 text-muted">Nothing runs and nothing waits.</li>
        )}
        {data === undefined && <li className="h-11 bg-raised opacity-70" />}
      </ol>
      <Failure error={withdraw.error} />
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
