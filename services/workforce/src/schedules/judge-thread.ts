import type { Notice } from "@muster/events";
import type { WorkforceContext } from "../context.ts";
import { occurrenceOf } from "../dispatch/start-request.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import { pauseIfFailing } from "./pause-if-failing.ts";

/** How the end of a thread counts for its schedule. One that users have cancelled does not. */
const outcomes: Readonly<Partial<Record<Notice["type"], "succeeded" | "failed">>> = {
  "thread.completed": "succeeded",
  "thread.failed": "failed",
  "thread.blocked": "failed",
};

/** Notes in the ledger of its schedule how a thread has ended. Harmless if repeated. */
export async function judgeThread(
  context: Pick<WorkforceContext, "schedules" | "scheduleRuns">,
  thread: ThreadDocument,
  { type }: Notice,
): Promise<void> {
  const { origin, projectId, agentId, _id: threadId, failureReason } = thread;
  const outcome = outcomes[type];
  if (origin?.kind !== "schedule" || outcome === undefined) return;
  const key = { projectId, agentId, scheduleId: origin.id };
  const problem = outcome === "failed" && failureReason ? { problem: failureReason } : {};
  await context.scheduleRuns.judge(key, occurrenceOf(thread), { threadId, outcome, ...problem });
  const schedule = outcome === "failed" ? await context.schedules.find(key) : null;
  if (schedule !== null) await pauseIfFailing(context, schedule);
}
