import { deletion } from "@muster/store";
import type { WorkforceContext } from "../context.ts";
import { settleThread } from "../runs/waiting/settle-waiting.ts";
import { unknownThread } from "../store/refusals.ts";
import type { ThreadDocument, ThreadKey } from "../store/thread-document.ts";
import { cancel } from "../store/thread-moves.ts";
import { isFinal } from "../store/thread-transitions.ts";

/** A thread can begin its first turn meanwhile, once. */
const maxTries = 3;

/**
 * Cancels the run of a thread (`cancel`), or takes the thread from the queue (`withdraw`); a thread in any other state
 * stays unchanged. The answer is final once the intent is stored: the run's process is woken, stops its commands and
 * frees the agent.
 */
export async function endThread(
  context: WorkforceContext,
  key: ThreadKey,
  how: "cancel" | "withdraw",
): Promise<ThreadDocument> {
  const { threads, agents, wakeUps, clock } = context;
  for (let tries = 1; ; tries++) {
    const thread = await threads.find(key);
    if (!thread?.accepted) throw unknownThread();
    const at = new Date(clock.now());
    const ended = await threads.move(key, cancel(thread, at, how), deletion);
    if (ended === null && tries < maxTries) {
      const isUnchanged = (await threads.findState(key))?.rev === thread.rev;
      if (!isUnchanged) continue;
    }
    if (ended === null) return thread;
    await leaveQueue({ threads, agents }, key);
    if (ended.waitingFor !== undefined) await settleThread(context, key);
    wakeUps.threadChanged(key);
    wakeUps.agentChanged(key);
    return ended;
  }
}

/** Other requests change the agent at the same time. The rest is removed when it is due. */
const maxRemovals = 20;

/**
 * Takes a thread that has ended out of its agent's queue. A follow-up can put it there again at any moment: it writes the agent
 * after it has left its offer in the thread, so either the offer is seen here or the agent's number has changed.
 */
async function leaveQueue(
  { agents, threads }: Pick<WorkforceContext, "agents" | "threads">,
  key: ThreadKey,
): Promise<void> {
  for (let tries = 0; tries < maxRemovals; tries++) {
    const agent = await agents.findAny(key);
    if (!agent?.queue.includes(key.threadId)) return;
    const thread = await threads.find(key);
    if (thread !== null && (!isFinal(thread.status) || thread.offer !== null)) return;
    if ((await agents.dequeue(key, key.threadId, agent.rev)) !== null) return;
  }
}
