import type { HiredAgent, Thread } from "@muster/client";
import { useThread } from "@muster/react";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { muster, refresh, useApi } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Page } from "../../parts/page.tsx";
import { ThreadStatus } from "./agent-work.tsx";
import { commandsOf } from "./commands.ts";
import { Composer } from "./composer.tsx";
import { Decisions } from "./decisions.tsx";
import { taskOf } from "./last-line.ts";
import { Messages } from "./messages.tsx";
import { agentPath, threadPath } from "./paths.ts";
import { Recording } from "./recording.tsx";
import { ThreadFacts } from "./thread-facts.tsx";

const Terminal = lazy(() =>
  import("./terminal/terminal.tsx").then(({ Terminal }) => ({ default: Terminal })),
);
const page = getRouteApi("/workforce/$agentId/threads/$threadId");
const working = ["pending", "queued", "running"];
const filming = ["requested", "recording", "processing"];

/** One conversation with an agent, and the terminal of its computer: live, and afterwards as a video. */
export function ThreadPage() {
  const { agentId, threadId } = page.useParams();
  const { data: agent } = useApi<HiredAgent>(agentPath(agentId));
  const state = useThread(muster, agentId, threadId);
  const { thread, messages, outputs, approvals, error, followUp, decide, reload } = state;
  const recording = useRecording(agentId, threadId, state.recording);
  const name = agent?.name ?? "Agent";
  const crumbs = [
    { label: "Workforce", to: "/workforce" },
    { label: name, to: `/workforce/${agentId}` },
  ];
  if (thread === undefined)
    return (
      <Page title="Task" crumbs={crumbs}>
        {error === undefined ? <Skeleton /> : <Failure error={error} onRetry={() => void reload()} />}
      </Page>
    );
  const isWorking = working.includes(state.status);
  return (
    <Page
      title={taskOf(messages.slice(0, 1)) || "Task"}
      crumbs={crumbs}
      aside={
        <span className="text-table">
          <ThreadStatus thread={{ status: state.status, waitingFor: thread.waitingFor }} />
        </span>
      }
      actions={isWorking && <Stop status={state.status} agentId={agentId} threadId={threadId} />}
    >
      <div className="grid gap-6 lg:h-full lg:min-h-0 lg:grid-cols-2">
        <div className="flex min-h-0 flex-col gap-4">
          {error !== undefined && <Failure error={error} onRetry={() => void reload()} />}
          <Messages
            messages={messages}
            agentName={name}
            status={state.status}
            waiting={new Set(approvals.map(({ toolCallId }) => toolCallId))}
          >
            <Decisions approvals={approvals} onDecide={decide} />
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
              await followUp({ message, ...(files !== undefined && { files }) });
              await refresh("/api/admin/workforce");
            }}
          />
        </div>
        <div className="flex min-h-0 flex-col gap-4">
          <Screen
            isWorking={isWorking}
            recording={
              recording !== null && (
                <Recording recording={recording} agentId={agentId} threadId={threadId} onDeleted={reload} />
              )
            }
            hasVideo={recording?.status === "ready"}
          >
            <Suspense fallback={<div className="min-h-80 flex-1 rounded-card bg-raised opacity-70" />}>
              <Terminal commands={commandsOf(messages, outputs)} isRunning={state.status === "running"} />
            </Suspense>
          </Screen>
          <ThreadFacts thread={thread} />
        </div>
      </div>
    </Page>
  );
}

/** A video is made after the thread has ended, which the thread's own events no longer say. */
function useRecording(agentId: string, threadId: string, last: Thread["recording"]): Thread["recording"] {
  const isMade = filming.includes(last?.status ?? "");
  const { data } = useApi<Thread>(isMade ? threadPath(agentId, threadId) : null);
  return isMade ? (data?.recording ?? last) : last;
}

interface ScreenProps {
  isWorking: boolean;
  hasVideo: boolean;
  recording: React.ReactNode;
  children: React.ReactNode;
}

/** The terminal while the agent works; afterwards the video in the same place, if there is one. */
function Screen({ isWorking, hasVideo, recording, children }: ScreenProps) {
  const [chosen, setChosen] = useState<"terminal" | "video">();
  const shown = chosen ?? (hasVideo && !isWorking ? "video" : "terminal");
  if (!recording) return children;
  return (
    <>
      <div className="flex gap-1">
        {(["terminal", "video"] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={shown === each}
            onClick={() => setChosen(each)}
            className="rounded-card border border-transparent px-3 py-1 text-table font-medium text-muted hover:text-text aria-pressed:border-line aria-pressed:bg-panel aria-pressed:text-text"
          >
            {each === "terminal" ? "Terminal" : "Video"}
          </button>
        ))}
      </div>
      {shown === "video" ? recording : children}
    </>
  );
}

/** Takes back what has not begun, and cancels what has. */
function Stop({ status, agentId, threadId }: { status: string; agentId: string; threadId: string }) {
  const isRunning = status === "running";
  const stop = useMutation({
    mutationFn: () => {
      const thread = muster.workforce.open(agentId, threadId);
      return isRunning ? thread.cancel() : thread.withdraw();
    },
    onSettled: () => refresh("/api/admin/workforce"),
  });
  return (
    <>
      {stop.error !== null && <span className="text-table text-bad">{stop.error.message}</span>}
      <Button look="danger" disabled={stop.isPending} onClick={() => stop.mutate()}>
        {isRunning ? "Cancel the run" : "Withdraw"}
      </Button>
    </>
  );
}
