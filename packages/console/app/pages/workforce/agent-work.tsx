import type { HiredAgent, ThreadList, ThreadSummary } from "@muster/client";
import { useNavigate } from "@tanstack/react-router";
import { muster, refresh } from "../../api.ts";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { Section } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { Composer } from "./composer.tsx";
import { agentPath } from "./paths.ts";
import { Queue } from "./queue.tsx";
import { Spend } from "./spend.tsx";
import { ThreadStatus } from "./thread-status.tsx";

/** The present task of the agent, its queue, and its earlier tasks. */
export function AgentWork({ agent }: { agent: HiredAgent }) {
  const { agentId, name } = agent;
  const navigate = useNavigate();
  return (
    <div className="grid items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-w-0">
        <Section title="Give a task">
          <Composer
            label={`Task for ${name}`}
            action="Give the task"
            agentId={agentId}
            canRecord
            onSend={async (body) => {
              const { threadId } = await muster.workforce.dispatch(agentId, body).started;
              await refresh("/api/admin/workforce");
              await navigate({ to: "/workforce/$agentId/threads/$threadId", params: { agentId, threadId } });
            }}
          />
        </Section>
        <Section title="Tasks">
          <div className="flex max-h-[32rem] flex-col">
            <List<ThreadList, ThreadSummary>
              label="Tasks"
              path={`${agentPath(agentId)}/threads`}
              query={{ limit: 100 }}
              rowsOf={({ threads }) => threads}
              keyOf={({ threadId }) => threadId}
              linkOf={({ threadId }) => ({
                to: "/workforce/$agentId/threads/$threadId",
                params: { agentId, threadId },
              })}
              columns={[
                { title: "Task", cell: ({ title }) => title },
                { title: "State", width: "8rem", cell: (thread) => <ThreadStatus thread={thread} /> },
                { title: "Begun", width: "7rem", cell: ({ createdAt }) => <When at={createdAt} /> },
              ]}
              second={(thread) => (
                <>
                  <ThreadStatus thread={thread} /> · <When at={thread.createdAt} />
                </>
              )}
              empty={
                <Empty
                  title={`${name} has no tasks yet`}
                  command={`npx @muster/cli workforce run ${JSON.stringify(name)} "Which host failed most?" --wait`}
                />
              }
            />
          </div>
        </Section>
      </div>
      <div className="min-w-0">
        <Queue agent={agent} />
        <Section title="This month">
          <Spend agent={agent} label="Spend" />
        </Section>
      </div>
    </div>
  );
}
