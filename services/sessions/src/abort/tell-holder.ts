import type { SessionsContext } from "../context.ts";

interface Target {
  sessionId: string;
  runId: string;
  epoch: number;
}

/**
 * Stops an execution wherever it runs. The store says so already, which the holder sees when it next writes or
 * renews; this makes it happen at once.
 */
export async function tellHolder(
  context: SessionsContext,
  { sessionId, runId, epoch }: Target,
  reason: "cancelled" | "cleared",
): Promise<void> {
  const local = context.executions.find(runId);
  if (local !== undefined) {
    local.stop(reason);
    await local.freed;
    return;
  }
  try {
    const event = { sessionId, executionId: runId, epoch, reason };
    await context.bus.publish("sessions.execution-abort", event, { id: `${runId}-${reason}` });
  } catch (error) {
    context.log.warn(
      { err: error, sessionId, runId },
      "the holder could not be told; it will notice by itself",
    );
  }
}
