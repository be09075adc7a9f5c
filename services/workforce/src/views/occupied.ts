import type { WorkforceContext } from "../context.ts";
import type { AgentDocument, CurrentRun } from "../store/agent-document.ts";
import type { ThreadState } from "../store/thread-store.ts";
import { isFinal } from "../store/thread-transitions.ts";

export interface Occupation {
  /** The run that occupies the agent. */
  current?: CurrentRun;
  /** A run that occupies it only on paper: it has ended, and its process has not reported that yet. */
  ended?: CurrentRun;
}

type Occupied = Pick<AgentDocument, "_id" | "projectId" | "queue" | "current">;

/** Whether a run occupies the agent. One query, or none if nothing runs. */
export async function occupationOf(
  { threads }: Pick<WorkforceContext, "threads">,
  agent: Occupied,
): Promise<Occupation> {
  const { _id: agentId, projectId, current } = agent;
  if (current === null) return {};
  const thread = await threads.findState({ projectId, agentId, threadId: current.threadId });
  return hasEnded(agent, thread) ? { ended: current } : { current };
}

/**
 * A run whose thread has ended occupies nothing, even if its process died before it could free the agent. But a cancelled one
 * does, until its commands are gone and its process has freed the agent. A thread that waits again has ended before: a run
 * that is about to begin has left the queue.
 */
function hasEnded({ queue }: Occupied, thread: ThreadState | null): boolean {
  if (thread === null) return true;
  if (isFinal(thread.status)) return thread.status !== "cancelled";
  return thread.runId === null && queue.includes(thread._id);
}

/** The thread that occupies the agent: the running one, else the oldest waiting one. */
export function holderOf(
  { queue }: Pick<AgentDocument, "queue">,
  { current }: Occupation,
): { currentThreadId: string | undefined; waiting: readonly string[] } {
  if (current !== undefined) return { currentThreadId: current.threadId, waiting: queue };
  const [first, ...others] = queue;
  return { currentThreadId: first, waiting: others };
}
