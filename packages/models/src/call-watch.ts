import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { StreamLimits } from "./stream-limits.ts";

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
type Read = Awaited<ReturnType<Reader["read"]>>;

const drainMs = 1000;

/**
 * Watches one model call: forwards the caller's abort, and ends the call if the provider is silent for too long. Only
 * the time spent waiting for a part counts, so a slow reader is never mistaken for a slow provider. Each call has one
 * timer, which is rearmed when it fires: reading a part needs no timer.
 */
export function watchCall(caller: AbortSignal | undefined, limits: StreamLimits) {
  caller?.throwIfAborted();
  const controller = new AbortController();
  let limitMs = limits.firstPartTimeoutMs;
  let waitingSinceMs: number | undefined = performance.now();
  let stalled = false;
  let guarded: Reader | undefined;
  let rejectRace: ((reason: unknown) => void) | undefined;

  const abandon = (reason: unknown): void => {
    controller.abort(reason);
    rejectRace?.(reason);
    // A pending read ends at once, even if the stream below ignores the signal.
    guarded?.cancel(reason).catch(ignore);
  };
  const onAbort = (): void => abandon(caller?.reason);
  caller?.addEventListener("abort", onAbort, { once: true });

  const check = (): void => {
    const waitedMs = waitingSinceMs === undefined ? 0 : performance.now() - waitingSinceMs;
    if (waitedMs < limitMs) {
      timer = setTimeout(check, limitMs - waitedMs);
      return;
    }
    stalled = true;
    abandon(new Error(`No part within ${limitMs} ms`));
  };
  let timer = setTimeout(check, limitMs);
  // Once in a call: the limit for the first part may be longer, and its timer would notice a stall too late.
  const startStallLimit = (): void => {
    limitMs = limits.stallTimeoutMs;
    clearTimeout(timer);
    timer = setTimeout(check, limitMs);
  };

  return {
    /** Aborts when the caller aborts, the provider stalls, or the call ends. */
    signal: controller.signal,
    stalled: (): boolean => stalled,
    /** Waits for `promise`, at most until the call is abandoned. */
    race<T>(promise: PromiseLike<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        rejectRace = reject;
        promise.then(resolve, reject);
      });
    },
    guard(reader: Reader): Reader {
      guarded = reader;
      return reader;
    },
    /** Before a part is read. */
    awaits(): void {
      waitingSinceMs ??= performance.now();
    },
    /** After a part was read. Throws if the call has been abandoned meanwhile. */
    received({ done, value }: Read): void {
      controller.signal.throwIfAborted();
      // The packages create this part themselves, before the provider has sent anything.
      if (!done && value.type === "stream-start") return;
      waitingSinceMs = undefined;
      if (limitMs !== limits.stallTimeoutMs) startStallLimit();
    },
    /** Releases everything. A finished call is read to its end, so that its connection can be reused. */
    end(finished: boolean): void {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onAbort);
      if (finished && guarded !== undefined) drain(guarded, controller);
      else if (!controller.signal.aborted) abandon(new Error("The call was abandoned"));
    },
  };
}

function drain(reader: Reader, controller: AbortController): void {
  const deadline = setTimeout(() => controller.abort(new Error("The stream did not end")), drainMs);
  const readOn = ({ done }: Read): unknown => (done ? undefined : reader.read().then(readOn));
  reader
    .read()
    .then(readOn)
    .catch(ignore)
    .finally(() => clearTimeout(deadline));
}

/** For promises whose outcome no longer matters: the call has been abandoned or has ended. */
function ignore(): void {}
