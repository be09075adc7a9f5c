import type { SessionsContext } from "./context.ts";

/** So long, further changes are announced together. */
const gatherMs = 100;

/** Wakes the workforce service when documents have events for webhooks; without the event, it finds them when it looks. Returns the end. */
export function announceNotices({
  notices,
  bus,
  newId,
  log,
}: Pick<SessionsContext, "notices" | "bus" | "newId" | "log">): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  notices.onNotice((projectId) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      bus
        .publish("sessions.noticed", { projectId }, { id: newId("evt") })
        .catch((error: unknown) => log.warn({ err: error }, "events for webhooks could not be announced"));
    }, gatherMs).unref();
  });
  return async () => clearTimeout(timer);
}
