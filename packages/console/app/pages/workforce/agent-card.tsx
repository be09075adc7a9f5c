import type { HiredAgent, ProjectThreadList, ProjectThreadSummary, Thread } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api.ts";
import { Status } from "../../parts/status.tsx";
import { useAgentNames } from "../../parts/use-agents.ts";
import { When } from "../../parts/when.tsx";
import { AgentStatus } from "./agent-status.tsx";
import { lastLineOf, taskOf } from "./last-line.ts";
import { threadPath } from "./paths.ts";
import { Spend } from "./spend.tsx";
import { ThreadStatus } from "./thread-status.tsx";

interface Props {
  agent: HiredAgent;
  /** Its newest thread, if it is among those that were read. */
  latest: ProjectThreadSummary | undefined;
  /** Whether `latest` is undefined because the threads are being read. */
  isReading: boolean;
}

export function AgentCard({ agent, latest, isReading }: Props) {
  const nameOf = useAgentNames();
  const { agentId, name, definition, definitionId, currentThreadId, queuedThreads } = agent;
  return (
    <li className="relative flex min-h-44 flex-col gap-3 rounded-card border border-line bg-panel p-4 focus-within:border-faint hover:border-faint">
      <div className="flex items-center gap-3">
        <Avatar id={agentId} name={name} />
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold">
            <Link to="/workforce/$agentId" params={{ agentId }} className="after:absolute after:inset-0">
              {name}
            </Link>
          </h2>
          <p className="truncate text-small text-muted">{definition?.slug ?? nameOf(definitionId ?? "")}</p>
        </div>
        <span className="text-small">
          <AgentStatus agent={agent} />
        </span>
      </div>
      <div className="min-w-0 flex-1 text-table">
        {currentThreadId !== null ? (
          <CurrentWork agentId={agentId} threadId={currentThreadId} />
        ) : latest !== undefined ? (
          <LastWork thread={latest} />
        ) : (
          !isReading && <EarlierWork agentId={agentId} />
        )}
      </div>
      <div className="border-t border-line pt-2.5 text-table">
        <Spend agent={agent} label={queuedThreads === 0 ? "Nothing queued" : `${queuedThreads} queued`} />
      </div>
    </li>
  );
}

function LastWork({ thread }: { thread: ProjectThreadSummary }) {
  return (
    <>
      <p className="truncate">{thread.title}</p>
      <p className="flex items-center gap-2 text-small text-muted">
        <ThreadStatus thread={thread} /> <When at={thread.completedAt ?? thread.createdAt} />
      </p>
    </>
  );
}

/** The newest task of an agent that has none among the newest of the project. */
function EarlierWork({ agentId }: { agentId: string }) {
  const { data } = useApi<ProjectThreadList>("/api/admin/workforce/threads", { agentId, limit: 1 });
  if (data === undefined) return <div className="h-10 rounded-card bg-raised opacity-70" />;
  const [thread] = data.threads;
  return thread === undefined ? <p className="text-muted">No task yet.</p> : <LastWork thread={thread} />;
}

/** The task at hand in one line, and the last thing that happened in it. */
function CurrentWork({ agentId, threadId }: { agentId: string; threadId: string }) {
  const { data } = useApi<Thread>(threadPath(agentId, threadId));
  if (data === undefined) return <div className="h-10 rounded-card bg-raised opacity-70" />;
  const line = lastLineOf(data.messages);
  return (
    <>
      <p className="truncate font-medium">{taskOf(data.messages)}</p>
      <p className="truncate text-small text-muted">
        {line === undefined ? <Status state={data.status} /> : <span className="font-mono">{line}</span>}
      </p>
    </>
  );
}

/** Hues of the terminal's palette that differ from each other. */
const hues = [1, 2, 3, 4, 5, 6];

/** The initials of an agent on a colour that its id decides. */
function Avatar({ id, name }: { id: string; name: string }) {
  const sum = [...id].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 9973, 7);
  const hue = hues[sum % hues.length];
  return (
    <span
      aria-hidden="true"
      className="grid size-10 shrink-0 place-items-center rounded-full text-table font-semibold"
      style={{ background: `color-mix(in srgb, var(--ansi-${hue}) 30%, var(--panel))` }}
    >
      {initialsOf(name)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const [first = "", last = ""] = [words[0], words.length > 1 ? words.at(-1) : words[0]?.slice(1)];
  return `${[...first][0] ?? "?"}${[...last][0] ?? ""}`.toUpperCase();
}
