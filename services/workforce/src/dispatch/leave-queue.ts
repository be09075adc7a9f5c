import type { WorkforceContext } from "../context.ts";
import type { ThreadKey } from "../store/thread-document.ts";
import { isFinal } from "../store/thread-transitions.ts";

/** Other requests change the agent at the same time. The rest is removed when it is due. */
const maxTries = 20;

/**
 * Takes a thread that has ended out of its agent's queue. A follow-up can put it there again at any moment: it writes the agent
 * after it has left its offer in the thread, so either the offer is seen here or the agent's number has changed.
 */
export async function leaveQueue(
  { agents, threads }: Pick<WorkforceContext, "agents" | "threads">,
  key: ThreadKey,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const agent = await agents.findAny(key);
    if (!agent?.queue.includes(key.threadId)) return;
    const thread = await threads.find(key);
    if (thread !== null && (!isFinal(thread.status) || thread.offer !== null)) return;
    if ((await agents.dequeue(key, key.threadId, agent.rev)) !== null) return;
  }
}
