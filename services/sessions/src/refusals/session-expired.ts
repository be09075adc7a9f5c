import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";

export function sessionExpired() {
  return rpcError(
    Reason.SESSION_EXPIRED,
    "The session has expired; restore it from stored messages or create a new one.",
  );
}
