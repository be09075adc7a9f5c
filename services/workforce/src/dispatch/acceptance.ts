import type { WorkforceContext } from "../context.ts";
import type { AgentDocument, AgentKey } from "../store/agent-document.ts";
import type { EnqueueOptions } from "../store/agent-store.ts";
import { keyOfThread, type ThreadDocument } from "../store/thread-document.ts";
import { accept, reopen, withdrawOffer } from "../store/thread-moves.ts";
import { occupationOf } from "../views/occupied.ts";

type Context = Pick<WorkforceContext, "agents" | "threads" | "wakeUps" | "log">;

/** Why the agent's queue has refused. */
export type Refusal = "gone" | "paused" | "full" | "busy";

export type Acceptance =
  | { accepted: true; thread: ThreadDocument }
  | { accepted: false; refusal: Refusal; agent: AgentDocument | null };

/**
 * Asks the agent's queue to take a new thread, or a finished one that an offer reopens, and tells the thread. The place in the
 * queue is the acceptance: any process that finds the thread there completes it, if this process dies in between. A refusal removes
 * every trace of the request.
 */
export async function acceptThread(
  context: Context,
  thread: ThreadDocument,
  options: EnqueueOptions = {},
): Promise<Acceptance> {
  const agentKey: AgentKey = { projectId: thread.projectId, agentId: thread.agentId };
  const agent = await context.agents.enqueue(agentKey, thread._id, options);
  if (agent === null) {
    const found = await context.agents.find(agentKey);
    const kept = await discard(context, thread);
    if (kept !== null) return { accepted: true, thread: kept };
    return { accepted: false, refusal: refusalOf(found, options), agent: found };
  }
  const accepted = await completeAcceptance(context, thread, await isNext(context, agent, thread._id));
  context.wakeUps.agentChanged(agentKey);
  return { accepted: true, thread: accepted };
}

/**
 * Tells a thread that the agent's queue has taken it. `isNext`: the agent is free, and nothing is before it. Changes nothing
 * if that was done already. The thread afterwards.
 */
export async function completeAcceptance(
  { threads }: Pick<Context, "threads">,
  thread: ThreadDocument,
  isNextOne: boolean,
): Promise<ThreadDocument> {
  const { offer } = thread;
  const move = thread.accepted
    ? offer && reopen(offer, isNextOne ? "running" : "queued")
    : accept(isNextOne ? "pending" : "queued");
  if (move === null) return thread;
  const key = keyOfThread(thread);
  return (await threads.move(key, move)) ?? (await threads.find(key)) ?? thread;
}

async function isNext(context: Context, agent: AgentDocument, threadId: string): Promise<boolean> {
  // A paused queue does not advance.
  if (agent.queue[0] !== threadId || agent.paused) return false;
  return (await occupationOf(context, agent)).current === undefined;
}

/** The thread, if another process has completed the request in the meantime. */
async function discard(
  { threads }: Pick<Context, "threads">,
  thread: ThreadDocument,
): Promise<ThreadDocument | null> {
  const key = keyOfThread(thread);
  const { offer } = thread;
  if (!thread.accepted) return (await threads.discard(key)) ? null : await threads.find(key);
  if (offer === null || (await threads.move(key, withdrawOffer(offer))) !== null) return null;
  const now = await threads.find(key);
  const isTaken =
    now !== null &&
    (now.inbox.some(({ id }) => id === offer.message.id) || now.message?.id === offer.message.id);
  return isTaken ? now : null;
}

function refusalOf(agent: AgentDocument | null, { ifIdle }: EnqueueOptions): Refusal {
  if (agent === null) return "gone";
  if (agent.paused) return "paused";
  return ifIdle === undefined ? "full" : "busy";
}

const batchSize = 100;

/** Completes what requests have begun whose processes have not ended it. The number of threads that were checked. */
export async function completeOpenThreads(context: Context, before: Date): Promise<number> {
  const open = await context.threads.findOpen(before, batchSize);
  for (const thread of open) {
    try {
      await acceptThread(context, thread, await optionsOf(context, thread));
    } catch (error) {
      context.log.warn({ err: error, threadId: thread._id }, "a thread could not be completed");
    }
  }
  return open.length;
}

/** A request that wanted an idle agent is completed only if the agent is idle. */
async function optionsOf(
  context: Context,
  { projectId, agentId, ifIdle }: ThreadDocument,
): Promise<EnqueueOptions> {
  if (!ifIdle) return {};
  const agent = await context.agents.find({ projectId, agentId });
  const { ended } = agent === null ? {} : await occupationOf(context, agent);
  return { ifIdle: ended === undefined ? {} : { ended } };
}
