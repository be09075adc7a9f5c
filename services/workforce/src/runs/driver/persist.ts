import { repeat } from "@muster/service/claim";
import { isStoreUnavailable } from "@muster/store";
import type { WorkforceContext } from "../../context.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import type { Move } from "../../store/thread-moves.ts";
import { isFinal } from "../../store/thread-transitions.ts";
import type { ActiveRun } from "../slot/active-run.ts";

const retryEveryMs = 500;

/** Repeats an operation of the store until the store responds, or the run is lost. It must be harmless to repeat. */
export function persist<T>(run: ActiveRun, operation: () => Promise<T>): Promise<T> {
  return repeat({ everyMs: retryEveryMs, signal: run.abandoning }, operation, (error) => {
    if (!isStoreUnavailable(error)) throw error;
  });
}

/** The thread after a move of its driver. Null: its condition is false, although the run still has the thread. */
export async function moveOwn(
  context: Pick<WorkforceContext, "threads">,
  run: ActiveRun,
  move: Move,
): Promise<ThreadDocument | null> {
  const { threadKey, driver } = run;
  const moved = await persist(run, () => context.threads.move(threadKey, move));
  if (moved !== null) return moved;
  const thread = await persist(run, () => context.threads.findState(threadKey));
  if (thread === null || isFinal(thread.status) || thread.runId !== driver.runId) {
    // A repeated command can have ended the thread before.
    if (move.to !== undefined && thread?.status === move.to && thread.runId === driver.runId)
      return await persist(run, () => context.threads.find(threadKey));
    run.stopNow("cancelled");
  }
  if (thread.epoch !== driver.epoch) {
    run.stopNow("lost");
  }
  return null;
}
