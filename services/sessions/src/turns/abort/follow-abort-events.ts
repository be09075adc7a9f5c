import type { SessionsContext } from "../../context.ts";

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
