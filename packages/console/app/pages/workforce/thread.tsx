import type { HiredAgent } from "@muster/client";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { refresh, useApi } from "../../api.ts";
import { Decision } from "../../parts/decision.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Gone, isGone } from "../../parts/gone.tsx";
import { Page } from "../../parts/page.tsx";
import { Panes } from "../../parts/panes.tsx";
import { commandsOf } from "./commands.ts";
import { Composer } from "./composer.tsx";
import { taskOf } from "./last-line.ts";
import { Messages } from "./messages.tsx";
import { agentPath } from "./paths.ts";
import { Recording } from "./recording.tsx";
import { StopThread } from "./stop-thread.tsx";
import { ThreadFacts } from "./thread-facts.tsx";
import { ThreadStatus } from "./thread-status.tsx";
import { useLiveThread } from "./use-live-thread.ts";

const Terminal = lazy(() =>
  import("./terminal/terminal.tsx").then(({ Terminal }) => ({ default: Terminal })),
);
const page = getRouteApi("/workforce/$agentId/threads/$threadId");

type Pane = "conversation" | "terminal" | "video";

/** One conversation with an agent, and the terminal of its computer: live, and afterwards as a video. */
export function ThreadPage() {
  const { agentId, threadId } = page.useParams();
  const { data: agent } = useApi<HiredAgent>(agentPath(agentId));
  const live = useLiveThread(agentId, threadId);
  const { thread, status, messages, outputs, approvals, error, isWorking, recording, reload } = live;
  const [chosen, choose] = useState<Pane>();
  const name = agent?.name ?? "Agent";
  const crumbs = [
    { label: "Workforce", to: "/workforce" },
    { label: name, to: `/workforce/${agentId}` },
  ];
  if (thread === undefined)
    return (
      <Page title="Task" crumbs={crumbs}>
        {isGone(error) ? (
          <Gone title="This task does not exist" to="/workforce" others="All teammates">
            It was deleted with its agent, or the address is wrong.
          </Gone>
        ) : error === undefined ? (
          <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
            <Skeleton />
            <Skeleton lines={1} size="h-96" className="max-lg:hidden" />
          </div>
        ) : (
          <Failure error={error} onRetry={() => void reload()} />
        )}
      </Page>
    );

  const usual = recording?.status === "ready" && !isWorking ? "video" : "terminal";
  const screen = chosen === undefined || chosen === "conversation" ? usual : chosen;
  // A small screen shows one of the two halves.
  const shown = chosen ?? "conversation";
  const screens: readonly Pane[] = recording === null ? ["terminal"] : ["terminal", "video"];
  return (
    <Page
      title={taskOf(messages.slice(0, 1)) || "Task"}
      crumbs={crumbs}
      isWhole
      aside={
        <span className="text-table">
          <ThreadStatus thread={{ status, waitingFor: thread.waitingFor }} />
        </span>
      }
      actions={isWorking && <StopThread {...{ status, agentId, threadId }} />}
    >
      <div className="flex min-h-0 flex-1 flex-col gap-3 px-6 py-5 max-md:px-4 max-md:py-3">
        <Panes className="lg:hidden" panes={["conversation", ...screens]} shown={shown} onShow={choose} />
        <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] gap-6 lg:grid-cols-2">
          <div
            className={`flex min-h-0 min-w-0 flex-col gap-4 ${shown === "conversation" ? "" : "max-lg:hidden"}`}
          >
            {error !== undefined && <Failure error={error} onRetry={() => void reload()} />}
            <Messages
              messages={messages}
              agentName={name}
              waiting={new Set(approvals.map(({ toolCallId }) => toolCallId))}
            >
              {status === "queued" && thread.waitingFor === null && (
                <p className="text-table text-muted">The task waits for its turn.</p>
              )}
              {approvals.map((approval) => (
                <Decision key={approval.approvalId} approval={approval} decide={live.decide} />
              ))}
              {thread.failureReason !== null && (
                <p role="alert" className="rounded-card border border-bad bg-panel px-3 py-2 text-table">
                  {thread.failureReason}
                </p>
              )}
            </Messages>
            <Composer
              label={`Message to ${name}`}
              action="Follow up"
              placeholder={isWorking ? "The agent reads it after its current turn." : "Ask for more."}
              agentId={agentId}
              onSend={async ({ message, files }) => {
                await live.followUp({ message, ...(files !== undefined && { files }) });
                await refresh("/api/admin/workforce");
              }}
            />
          </div>
          <div
            className={`flex min-h-0 min-w-0 flex-col gap-3 ${shown === "conversation" ? "max-lg:hidden" : ""}`}
          >
            {screens.length > 1 && (
              <Panes className="max-lg:hidden" panes={screens} shown={screen} onShow={choose} />
            )}
            {screen === "video" && recording !== null ? (
              <Recording {...{ recording, agentId, threadId }} onDeleted={reload} />
            ) : (
              <Suspense fallback={<div className="min-h-0 flex-1 rounded-card bg-raised opacity-70" />}>
                <Terminal commands={commandsOf(messages, outputs)} isRunning={status === "running"} />
              </Suspense>
            )}
            <ThreadFacts thread={thread} />
          </div>
        </div>
      </div>
    </Page>
  );
}
