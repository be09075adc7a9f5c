import { Code, ConnectError, Reason, readRpcError } from "@muster/rpc";
import { repeat } from "@muster/service/claim";
import type { RecorderContext } from "../context.ts";
import type { Attempt } from "./attempt.ts";

export interface Repeating {
  /** Aborts when the call is no longer needed. */
  signal: AbortSignal;
  /** How long the call is repeated. */
  forMs: number;
}

/**
 * Repeats a call about an attempt while the workforce service is away, or cannot store anything because its disk is full. If
 * the recording is lost, ends the attempt and throws ClaimStopped. The call must be harmless to repeat.
 */
export function ownCall<T>(
  { timings, clock }: Pick<RecorderContext, "timings" | "clock">,
  attempt: Attempt,
  { signal, forMs }: Repeating,
  call: () => Promise<T>,
): Promise<T> {
  const endMs = clock.monotonicMs() + forMs;
  return repeat({ everyMs: timings.repeatEveryMs, signal }, call, (error) => {
    signal.throwIfAborted();
    if (meansLost(error)) attempt.stopNow("lost");
    // On a full disk, no other recorder can claim the recording either.
    const isFull = readRpcError(error).reason === Reason.STORAGE_FULL;
    if (!isFull && (!mayPass(error) || clock.monotonicMs() >= endMs)) throw error;
  });
}

/** The recording is another recorder's, final, or deleted. */
function meansLost(error: unknown): boolean {
  const { code } = readRpcError(error);
  return code === Code.FailedPrecondition || code === Code.NotFound;
}

/** Repeating a call that was refused does not help. */
const refusals = new Set([
  ...[Code.InvalidArgument, Code.PermissionDenied],
  ...[Code.Unauthenticated, Code.Unimplemented],
]);

/** False also for failures of this process, such as a full disk. */
function mayPass(error: unknown): boolean {
  return error instanceof ConnectError && !refusals.has(error.code);
}
