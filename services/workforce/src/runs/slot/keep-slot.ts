import { keepRenewing } from "@muster/service/claim";
import type { WorkforceContext } from "../../context.ts";
import { isFinal } from "../../store/thread-transitions.ts";
import type { ActiveRun } from "./active-run.ts";

type Keeping = Pick<
  WorkforceContext,
  "agents" | "threads" | "wakeUps" | "instance" | "timings" | "clock" | "log"
>;

/**
 * Renews the lease of a run, and stops the run when the slot is lost or the thread was cancelled. Events make that
 * immediate; each renewal looks as well. Returns a function that ends it.
 */
export function keepSlot(context: Keeping, run: ActiveRun): () => void {
  const { agents, wakeUps, instance, timings, clock, log } = context;
  const { agentKey, threadKey, driver } = run;

  const renew = async (): Promise<void> => {
    try {
      const until = new Date(clock.now() + timings.leaseMs);
      if (!(await agents.renew(agentKey, driver.epoch, { holder: instance, until }))) run.stop("lost");
      else await look();
    } catch (error) {
      // The run continues until another process has taken it.
      log.warn({ err: error, ...threadKey }, "the lease of a run could not be renewed");
    }
  };

  const look = async (): Promise<void> => {
    if (!run.ownsThread) return;
    const thread = await context.threads.findState(threadKey);
    if (!run.ownsThread) return;
    if (thread === null || isFinal(thread.status) || thread.runId !== driver.runId) run.stop("cancelled");
    else if (thread.epoch > driver.epoch) run.stop("lost");
  };

  const stopListening = wakeUps.onThread(threadKey.threadId, () => {
    look().catch((error: unknown) => log.warn({ err: error, ...threadKey }, "a thread could not be read"));
  });
  const stopRenewing = keepRenewing(timings.renewEveryMs, renew);
  return () => {
    stopListening();
    stopRenewing();
  };
}
