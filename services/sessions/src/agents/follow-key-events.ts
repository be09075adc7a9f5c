import type { SessionsContext } from "../context.ts";

/** Makes changes of provider keys work at once. Without the event they work when the cached ones expire. */
export async function followKeyEvents({
  bus,
  projectKeys,
}: Pick<SessionsContext, "bus" | "projectKeys">): Promise<() => Promise<void>> {
  const subscription = await bus.subscribe(
    "auth.provider-keys-changed",
    { broadcast: true },
    async ({ projectId }) => projectKeys.forget(projectId),
  );
  return () => subscription.close();
}
