import type { Logger } from "@muster/service";

const slowAfterMs = 30_000;

/**
 * Waits for a handler and logs one line if it takes very long: nothing else would show that the events
 * behind a hung handler are waiting. It is not abandoned, because it may still take effect.
 */
export async function watchHandler(
  running: Promise<void>,
  log: Logger,
  fields: { subject: string; eventId: string },
): Promise<void> {
  const timer = setTimeout(() => {
    log.warn(
      { ...fields, afterMs: slowAfterMs },
      "an event handler is still running; later events wait for it",
    );
  }, slowAfterMs).unref();
  try {
    await running;
  } finally {
    clearTimeout(timer);
  }
}
