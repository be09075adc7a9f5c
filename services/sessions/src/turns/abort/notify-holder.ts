import type { SessionsContext } from "../../context.ts";

interface Target {
  /** The id of the request that stops the execution. */
  requestId: string;
  sessionId: string;
  runId: string;
  epoch: number;
}

/**
 * Stops an execution wherever it runs. The store already contains the request, which the holder sees at its next
 * write or renewal; this makes it immediate.
 */
export async function notifyHolder(
  context: Pick<SessionsContext, "bus" | "log"> & { executions: Pick<SessionsContext["executions"], "find"> },
  { requestId, sessionId, runId, epoch }: Target,
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
      { err: error, requestId, sessionId, runId },
      "the holder could not be notified; it will notice by itself",
    );
  }
}

/**
 * Stops executions that another instance was asked to stop. An event only makes this immediate: the request itself
 * is in the store, which is checked after every reconnect. Returns a function that stops listening.
 */
export async function followAbortEvents(context: SessionsContext): Promise<() => Promise<void>> {
  const { bus, executions, leases } = context;
  const subscription = await bus.subscribe("sessions.execution-abort", { broadcast: true }, async (event) => {
    executions.find(event.executionId)?.stop(event.reason);
  });
  const stopRebuilding = bus.onRebuild(() => void leases.renewAll());
  return async () => {
    stopRebuilding();
    await subscription.close();
  };
}
