import type { SessionsContext } from "../../context.ts";
import type { ApprovalDocument } from "../../store/approval-store.ts";
import { settleApproval } from "./settle-approval.ts";

const batchSize = 100;
/** If the instance that settles an approval dies, another one does so after this time. */
const claimMs = 15_000;

/** Settles the approvals of all projects that are due: those that expire, and those that a dead process has left. */
export function createApprovalSweep(context: SessionsContext) {
  const { approvals, clock, log, timings } = context;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const settle = async (found: ApprovalDocument): Promise<void> => {
    const next = new Date(clock.now() + claimMs);
    if (context.draining.aborted || !(await approvals.claim(found, next))) return;
    await settleApproval(context, { ...found, wakeAt: next }).catch((error: unknown) =>
      log.warn({ err: error, approvalId: found._id }, "an approval could not be settled; it will be later"),
    );
  };

  /** Those that are claimed are due later, so each batch is another one. */
  const sweep = async (): Promise<void> => {
    for (let isLast = false; !isLast && !context.draining.aborted; ) {
      const due = await approvals.findDue(new Date(clock.now()), batchSize);
      for (const found of due) await settle(found);
      isLast = due.length < batchSize;
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
