import { Code, ConnectError } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import { readRpcError, rpcError } from "@muster/rpc";

/** The failure of a service that we called, as our own answer. What was not failed on purpose stays an internal error. */
export function relayed(error: unknown): unknown {
  const { reason, code, message, issues, retryAfterMs } = readRpcError(error);
  if (reason !== Reason.UNSPECIFIED) {
    return rpcError(reason, message, { issues, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  }
  const isAway = code === Code.Unavailable || code === Code.DeadlineExceeded;
  if (error instanceof ConnectError && isAway) {
    return rpcError(Reason.UNAVAILABLE, "The agents service does not answer.", {
      retryAfterMs: 1_000,
      cause: error,
    });
  }
  return error;
}
