import type { SessionsContext } from "../../context.ts";
import type { ApprovalDocument } from "../../store/approval-store.ts";

const batchSize = 100;
/** After so many of one project, those of all others have their turn. */
const maxInTurn = 20;
/** If the instance that settles an approval dies, another one does so after this time. */
const claimMs = 15_000;

/**
 * Settles the approvals of all projects that are due: those that expire, and those that a dead process has left. `settle` does so
 * with one.
 */
export function createApprovalSweep(
  context: Pick<SessionsContext, "approvals" | "clock" | "log" | "timings" | "draining">,
  settle: (found: ApprovalDocument) => Promise<void>,
) {
  const { approvals, clock, log, timings, draining } = context;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const settleDue = async (found: ApprovalDocument): Promise<void> => {
    const next = new Date(clock.now() + claimMs);
    if (!(await approvals.claim(found, next))) return;
    await settle({ ...found, wakeAt: next }).catch((error: unknown) =>
      log.warn({ err: error, approvalId: found._id }, "an approval could not be settled; it will be later"),
    );
  };

  /** Those that are claimed are due later, so each batch is another one. */
  const sweep = async (): Promise<void> => {
    const settled = new Map<string, number>();
    while (!draining.aborted) {
      const inTurn = [...settled].filter(([, count]) => count >= maxInTurn).map(([projectId]) => projectId);
      const due = await approvals.findDue(new Date(clock.now()), batchSize, inTurn);
      if (due.length === 0 && inTurn.length === 0) return;
      if (due.length === 0) settled.clear();
      for (const found of due) {
        const count = (settled.get(found.projectId) ?? 0) + 1;
        if (draining.aborted || count > maxInTurn) continue;
        settled.set(found.projectId, count);
        await settleDue(found);
      }
    }
  };

  const run = (): Promise<void> => {
    running ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, "approvals could not be swept"))
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    start: (): void => {
      timer = setInterval(run, timings.sweepApprovalsEveryMs).unref();
    },
    /** Resolves when one whole sweep has ended. */
    run,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
}
