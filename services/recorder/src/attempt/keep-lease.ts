import type { RecorderContext } from "../context.ts";
import { type Attempt, AttemptStopped } from "./attempt.ts";
import { ownCall } from "./own-call.ts";

type Keeping = Pick<RecorderContext, "recordings" | "callAsPlatform" | "timings" | "clock" | "log">;

/**
 * Renews the lease of an attempt, and stops the attempt at once if another recorder has taken the recording. The epoch
 * decides who may write, not the time: while the workforce service is away, no other process can take the recording
 * either, and rendering continues. Returns a function that ends it.
 */
export function keepLease(context: Keeping, attempt: Attempt): () => void {
  const { recordings, callAsPlatform, timings, log } = context;
  const ended = new AbortController();
  const signal = AbortSignal.any([attempt.owning, ended.signal]);
  let isRenewing = false;

  const renew = async (): Promise<void> => {
    if (isRenewing || signal.aborted) return;
    isRenewing = true;
    try {
      await ownCall(context, attempt, { signal, forMs: timings.renewWithinMs }, () =>
        recordings.renewRecording(attempt.key, callAsPlatform({ signal })),
      );
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof AttemptStopped) return;
      log.warn({ err: error, ...attempt.key }, "the lease of a recording could not be renewed");
      attempt.stop("lost");
    } finally {
      isRenewing = false;
    }
  };

  const everyMs = Math.max(1, attempt.leaseMs / timings.renewalsPerLease);
  const timer = setInterval(() => void renew(), everyMs);
  return () => {
    clearInterval(timer);
    ended.abort();
  };
}
