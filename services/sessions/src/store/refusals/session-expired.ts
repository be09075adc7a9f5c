import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";

/** The code is part of the sentence, because clients in use show nothing else of a refused trigger. */
export function sessionExpired() {
  return rpcError(
    Reason.SESSION_EXPIRED,
    "The session has expired (SESSION_EXPIRED); restore it from stored messages or create a new one.",
  );
}
