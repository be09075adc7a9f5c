import type { WorkforceContext } from "../../context.ts";
import {
  keyOfThread,
  type StoredWait,
  type ThreadDocument,
  type ThreadKey,
} from "../../store/thread-document.ts";
import { checkAgain, closeWait, decided } from "../../store/thread-moves.ts";
import { isFinal } from "../../store/thread-transitions.ts";
import { endWaitingTurn } from "./end-waiting-turn.ts";

const batchSize = 50;
/** A decision whose event was missed is found after this time. */
const lookEveryMs = 30_000;
const timeoutMs = 5_000;
/** Other requests change the agent at the same time. The next check tries again. */
const maxTries = 20;

type Context = Pick<
  WorkforceContext,
  "threads" | "agents" | "services" | "callFor" | "wakeUps" | "clock" | "log"
>;

/** Checks the threads of all projects that wait for decisions and are due. */
export async function settleWaiting(context: Context): Promise<void> {
  const due = await context.threads.findWaiting(new Date(context.clock.now()), batchSize);
  for (const thread of due) await settleThread(context, keyOfThread(thread));
}

/**
 * Does what a thread that waits for decisions requires now: it continues before all others once all are made, and the turn of
 * a cancelled one ends. Any instance may do so at any time, also several at once. Never rejects: a later check repeats it.
 */
export async function settleThread(context: Context, key: ThreadKey): Promise<void> {
  const { threads, clock, log } = context;
  try {
    const thread = await threads.find(key);
    if (thread?.waitingFor === undefined) return;
    const { waitingFor } = thread;
    // Those that fail must not keep all others from being checked.
    await threads.move(key, checkAgain(waitingFor, new Date(clock.now() + lookEveryMs)));
    if (isFinal(thread.status)) await closeTurn(context, thread, waitingFor);
    else if (waitingFor.isDecided || !(await isOpen(context, thread.projectId, waitingFor)))
      await continueRun(context, key, waitingFor);
  } catch (error) {
    log.warn(
      { err: error, ...key },
      "a thread that waits for decisions could not be checked; it will be later",
    );
  }
}

async function closeTurn(context: Context, thread: ThreadDocument, waitingFor: StoredWait): Promise<void> {
  const { sessionId, projectId, cancelledRequest } = thread;
  const executionId = cancelledRequest?.executionId;
  if (executionId !== undefined) await endWaitingTurn(context, projectId, { sessionId, executionId });
  const key = keyOfThread(thread);
  if ((await context.threads.move(key, closeWait(waitingFor))) !== null) context.wakeUps.threadChanged(key);
}

async function isOpen(
  { services, callFor }: Context,
  projectId: string,
  { approvalIds, openCalls = [] }: StoredWait,
): Promise<boolean> {
  const ids = [...approvalIds, ...openCalls.map(({ callId }) => callId)];
  const request = { ids, status: "pending" };
  const { approvals } = await services.sessions.listApprovals(request, callFor(projectId, { timeoutMs }));
  return approvals.length > 0;
}

/** The agent is read first: if a run takes the thread meanwhile, the thread does not get a second place in the queue. */
async function continueRun(context: Context, key: ThreadKey, waitingFor: StoredWait): Promise<void> {
  const { threads, agents, wakeUps, clock } = context;
  if ((await threads.move(key, decided(waitingFor, new Date(clock.now() + lookEveryMs)))) !== null)
    wakeUps.threadChanged(key);
  for (let tries = 0; tries < maxTries; tries++) {
    const agent = await agents.find(key);
    const thread = await threads.findState(key);
    if (agent === null || thread?.status !== "queued" || !thread.waitingFor?.isDecided) return;
    const { queue, current } = agent;
    const isClaimed = current?.threadId === key.threadId && current.runId !== thread.runId;
    if (isClaimed || queue.includes(key.threadId)) break;
    if ((await agents.enqueueFirst(key, key.threadId, agent)) !== null) break;
  }
  wakeUps.agentChanged(key);
}
