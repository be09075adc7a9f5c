import type { WorkforceContext } from "../../context.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import { accept, assign, reopen, resume, takeOver } from "../../store/thread-moves.ts";
import { inFlightStatuses, isFinal } from "../../store/thread-transitions.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { persist } from "./persist.ts";

/**
 * Makes the thread the run's own, so that no process that had it before can write. Completes its acceptance if the
 * process that accepted it has not. Returns the thread; the run does not own it if it was withdrawn or cancelled, or waits
 * for decisions. Null: it does not exist.
 */
export async function takeThread(
  { threads }: Pick<WorkforceContext, "threads">,
  run: ActiveRun,
): Promise<ThreadDocument | null> {
  const { threadKey, driver } = run;
  for (;;) {
    run.abandoning.throwIfAborted();
    const thread = await persist(run, () => threads.find(threadKey));
    if (thread === null) return null;
    const { status, offer, accepted, runId, epoch, waitingFor } = thread;
    if (runId === driver.runId && epoch > driver.epoch) {
      run.stopNow("lost");
    }
    const move = () => {
      if (!accepted) return accept("queued");
      if (isFinal(status))
        return offer === null || runId === driver.runId ? undefined : reopen(offer, "queued");
      if (waitingFor !== undefined)
        return waitingFor.isDecided && runId !== driver.runId ? resume(driver) : undefined;
      if (runId === driver.runId) return epoch === driver.epoch ? undefined : takeOver(driver);
      return runId === null && status !== undefined ? assign(status, driver) : undefined;
    };
    const next = move();
    if (next === undefined) {
      run.ownsThread = inFlightStatuses.some((each) => each === status) && runId === driver.runId;
      return thread;
    }
    await persist(run, () => threads.move(threadKey, next));
  }
}
