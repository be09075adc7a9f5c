import type { StreamEvent } from "@muster/proto/sessions";
import type { EventQueue } from "./event-queue.ts";

/** An execution, as seen by its reader. */
interface Readable {
  readonly events: EventQueue;
  stop(cause: "disconnected"): void;
}

/**
 * The events of an execution, in batches, for one reader. If the reader leaves, the execution is stopped unless it
 * is detached.
 */
export async function* eventsOf(
  execution: Readable,
  signal: AbortSignal,
  { detached = false } = {},
): AsyncGenerator<StreamEvent[], void, undefined> {
  const leave = () => {
    execution.events.abandon();
    if (!detached) execution.stop("disconnected");
  };
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  let isRead = false;
  try {
    yield* execution.events.batches();
    // A stream that was cut must not look like one that ended.
    signal.throwIfAborted();
    isRead = true;
  } finally {
    signal.removeEventListener("abort", leave);
    if (!isRead) leave();
  }
}
