import type { SessionsContext } from "../context.ts";

/**
 * Stops executions that another instance was asked to stop. An event only makes it happen at once: what it says
 * stands in the store, which is looked at after every reconnect. Returns how to stop listening.
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
