import type { WorkforceContext } from "../../context.ts";
import { ownerOf } from "../../store/agent-document.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import type { ActiveRun } from "../slot/active-run.ts";

/**
 * Kills the commands of a run that was cancelled while its process died. Those of a sandbox died with it; a computer that dials
 * in still executes them. Returns when nothing is left, or the computer cannot be reached.
 */
export async function stopCommands(
  { computers, log }: Pick<WorkforceContext, "computers" | "log">,
  run: ActiveRun,
  { status, runId, cancelledRequest: request }: Pick<ThreadDocument, "status" | "runId" | "cancelledRequest">,
): Promise<void> {
  const { agent, driver } = run;
  const isOwn = status === "cancelled" && runId === driver.runId && request !== undefined;
  if (!isOwn || request.calls.length === 0 || agent.computer.kind === "sandbox") return;
  try {
    const computer = await computers.open(ownerOf(agent), driver.epoch);
    await Promise.all(request.calls.map((_, index) => computer.abort(callId(request, index))));
  } catch (error) {
    log.warn({ err: error, ...run.threadKey }, "the commands of a cancelled run could not be stopped");
  }
}

/** Unique for the agent, and the same in every process that continues the run. */
export function callId({ id }: { id: string }, index: number): string {
  return `${id}:${index}`;
}
