import { Reason } from "@muster/proto/errors";
import { outageError, rpcError } from "@muster/rpc";
import { storeOutageOf } from "@muster/store";
import { type Sized, storedBytes } from "../session-document.ts";

const retryAfterMs = 1_000;

export function unavailable(message: string, cause?: unknown) {
  return rpcError(Reason.UNAVAILABLE, message, { retryAfterMs, cause });
}

/** The stream of a turn ends here, but not the turn. */
export function handedOver() {
  return unavailable(
    "The service is stopping; another process continues this turn. Read its events from there.",
  );
}

/** The error to throw for a caught one: UNAVAILABLE if the store failed, otherwise the same. */
export function refusalFor(error: unknown): unknown {
  const problem = storeOutageOf(error);
  return problem === undefined ? error : outageError(problem, error);
}

export function tooLarge(message: string) {
  return rpcError(Reason.TOO_LARGE, message);
}

/** Refuses a state that is too large, before it is written. */
export function assertStorable({ maxStateBytes }: { maxStateBytes: number }, state: Sized): void {
  if (storedBytes(state) <= maxStateBytes) return;
  throw tooLarge(`Input and messages together may take at most ${maxStateBytes} bytes; send less.`);
}

/** The code is part of the sentence, because clients in use show nothing else of a refused trigger. */
export function sessionExpired() {
  return rpcError(
    Reason.SESSION_EXPIRED,
    "The session has expired (SESSION_EXPIRED); restore it from stored messages or create a new one.",
  );
}
