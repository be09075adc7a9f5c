import { Code, ConnectError } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import { readRpcError, rpcError } from "@muster/rpc";

/** The failure of a called service as our own. Only deliberate failures are passed on; others stay internal errors. */
export function relayed(error: unknown): unknown {
  const { reason, code, message, issues, retryAfterMs } = readRpcError(error);
  if (reason !== Reason.UNSPECIFIED) {
    return rpcError(reason, message, { issues, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  }
  const isAway = code === Code.Unavailable || code === Code.DeadlineExceeded;
  if (error instanceof ConnectError && isAway) {
    return rpcError(Reason.UNAVAILABLE, "The agents service does not respond.", {
      retryAfterMs: 1_000,
      cause: error,
    });
  }
  return error;
}
