import { Code, ConnectError } from "@connectrpc/connect";
import { Reason, readRpcError, rpcError } from "./errors.ts";

/**
 * The failure of a called service as the caller's own. Deliberate failures are passed on; a service that does not respond is
 * UNAVAILABLE with the sentence `away`; everything else stays an internal error.
 */
export function relayedFailure(error: unknown, away: string): unknown {
  const { reason, code, message, issues, retryAfterMs } = readRpcError(error);
  if (reason !== Reason.UNSPECIFIED) {
    return rpcError(reason, message, { issues, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  }
  const isAway = code === Code.Unavailable || code === Code.DeadlineExceeded;
  if (error instanceof ConnectError && isAway) {
    return rpcError(Reason.UNAVAILABLE, away, { retryAfterMs: 1_000, cause: error });
  }
  return error;
}
