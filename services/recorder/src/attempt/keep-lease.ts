import { ClaimStopped, keepRenewing } from "@muster/service/claim";
import type { RecorderContext } from "../context.ts";
import type { Attempt } from "./attempt.ts";
import { ownCall } from "./own-call.ts";

type Keeping = Pick<RecorderContext, "recordings" | "callAsPlatform" | "timings" | "clock" | "log">;

/**
 * Renews the lease of an attempt, and stops the attempt at once if another recorder has taken the recording. While the
 * workforce service is away, no other process can take the recording either, and rendering continues. Returns a function
 * that ends it.
 */
export function keepLease(context: Keeping, attempt: Attempt): () => void {
  const { recordings, callAsPlatform, timings, log } = context;
  const ended = new AbortController();
  const signal = AbortSignal.any([attempt.abandoning, ended.signal]);

  const renew = async (): Promise<void> => {
    try {
      await ownCall(context, attempt, { signal, forMs: timings.renewWithinMs }, () =>
        recordings.renewRecording(attempt.key, callAsPlatform({ signal })),
      );
    } catch (error) {
      if (signal.aborted || error instanceof ClaimStopped) return;
      log.warn({ err: error, ...attempt.key }, "the lease of a recording could not be renewed");
      attempt.stop("lost");
    }
  };

  const stopRenewing = keepRenewing(Math.max(1, attempt.leaseMs / timings.renewalsPerLease), renew);
  return () => {
    stopRenewing();
    ended.abort();
  };
}
