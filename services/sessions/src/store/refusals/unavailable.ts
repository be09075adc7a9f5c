import { Reason } from "@muster/proto/errors";
import { outageError, rpcError } from "@muster/rpc";
import { storeOutageOf } from "@muster/store";

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
