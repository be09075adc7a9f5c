import type { Logger } from "@muster/service";

const slowAfterMs = 30_000;

/**
 * Waits for a handler, and says once in the log when it takes very long: the events behind one that hangs wait
 * without another sign. It is not given up, for it may yet have its effect.
 */
export async function watchHandler(
  running: Promise<void>,
  log: Logger,
  fields: { subject: string; eventId: string },
): Promise<void> {
  const timer = setTimeout(() => {
    log.warn({ ...fields, afterMs: slowAfterMs }, "an event handler still runs; later events wait for it");
  }, slowAfterMs).unref();
  try {
    await running;
  } finally {
    clearTimeout(timer);
  }
}
