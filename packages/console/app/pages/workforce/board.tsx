import type { HiredAgentList, ProjectThreadList } from "@muster/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Monitor, UserPlus } from "lucide-react";
import { muster, useApi } from "../../api.ts";
import { Button, buttonShape } from "../../parts/button.tsx";
import { Empty, Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Page } from "../../parts/page.tsx";
import { AgentCard } from "./agent-card.tsx";

const path = "/api/admin/workforce/agents";

/** Who works on what: one card per agent. */
export function Board() {
  return (
    <Page
      title="Workforce"
      actions={
        <>
          <Link
            to="/workforce/computers"
            className={`${buttonShape} border-line bg-raised hover:border-faint`}
          >
            <Monitor size={16} aria-hidden="true" /> Computers
          </Link>
          <Link to="/workforce/hire" className={`${buttonShape} primary border-transparent text-white`}>
            <UserPlus size={16} aria-hidden="true" /> Hire
          </Link>
        </>
      }
    >
      <Cards />
    </Page>
  );
}

const grid = "grid gap-4 grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))]";

function Cards() {
  const pages = useInfiniteQuery({
    queryKey: [path, {}, "pages"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      muster.request<HiredAgentList>("GET", path, { query: { limit: 60, cursor }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const latest = useApi<ProjectThreadList>("/api/admin/workforce/threads", { limit: 100 });
  const agents = pages.data?.pages.flatMap((page) => page.agents) ?? [];
  if (pages.isPending) return <Skeleton lines={3} size="h-44" className={grid} />;
  if (agents.length === 0 && pages.error !== null)
    return <Failure error={pages.error} onRetry={() => void pages.refetch()} />;
  if (agents.length === 0)
    return (
      <Empty
        title="There are no teammates yet"
        command={'npx @muster/cli workforce hire log-analyst --name "Lou"'}
        reference="Workforce"
      >
        A workforce agent is a teammate with a computer: you give it whole tasks, and watch it work.
      </Empty>
    );
  return (
    <>
      <ul className={grid}>
        {agents.map((agent) => (
          <AgentCard
            key={agent.agentId}
            agent={agent}
            isReading={latest.isLoading}
            latest={latest.data?.threads.find(({ agentId }) => agentId === agent.agentId)}
          />
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button
          className="mt-4"
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          More agents
        </Button>
      )}
    </>
  );
}
