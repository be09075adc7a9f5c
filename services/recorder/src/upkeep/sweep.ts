import { removeWorkplacesBefore } from "../attempt/workplace.ts";
import type { RecorderContext } from "../context.ts";
import { removeUnneeded } from "./remove-unneeded.ts";

/** Attempts of this age have ended, one way or the other: longer than rendering and storing ever take. */
const deadAfterMs = 3 * 60 * 60_000;

/** Removes now and then what killed recorders left behind. Returns a function that ends it. */
export function startSweep(context: RecorderContext): () => Promise<void> {
  const { sweepAfterMs, sweepEveryMs } = context.timings;
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const schedule = (afterMs: number): void => {
    timer = setTimeout(() => {
      running = sweep(context, ending.signal).finally(() => {
        if (!ending.signal.aborted) schedule(sweepEveryMs);
      });
    }, afterMs).unref();
  };
  schedule(sweepAfterMs);
  return async () => {
    ending.abort();
    clearTimeout(timer);
    await running;
  };
}

/** Never throws. */
export async function sweep(context: RecorderContext, signal: AbortSignal): Promise<void> {
  const { storage, clock, log } = context;
  const deadBeforeMs = clock.now() - deadAfterMs;
  try {
    await removeWorkplacesBefore(deadBeforeMs);
    await storage.removeDraftsBefore(deadBeforeMs);
    for await (const attempt of storage.attempts()) {
      if (signal.aborted) return;
      if (attempt.storedAtMs >= deadBeforeMs) continue;
      if (await removeUnneeded(context, attempt, signal))
        log.info({ ...attempt }, "files of a dead attempt were removed");
    }
  } catch (error) {
    log.warn({ err: error }, "what dead recorders left could not be removed; the next sweep tries again");
  }
}
