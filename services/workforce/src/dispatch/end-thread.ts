import { deletion } from "@muster/store";
import type { WorkforceContext } from "../context.ts";
import { unknownThread } from "../store/refusals.ts";
import type { ThreadDocument, ThreadKey } from "../store/thread-document.ts";
import { cancel } from "../store/thread-moves.ts";
import { leaveQueue } from "./leave-queue.ts";

/** A thread can begin its first turn meanwhile, once. */
const maxTries = 3;

/**
 * Cancels the run of a thread (`cancel`), or takes the thread from the queue (`withdraw`); a thread in any other state
 * stays unchanged. The answer is final once the intent is stored: the run's process is woken, stops its commands and
 * frees the agent.
 */
export async function endThread(
  { threads, agents, wakeUps, clock }: WorkforceContext,
  key: ThreadKey,
  how: "cancel" | "withdraw",
): Promise<ThreadDocument> {
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
    wakeUps.threadChanged(key);
    wakeUps.agentChanged(key);
    return ended;
  }
}
