import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";

export function gone(message: string) {
  return rpcError(Reason.EVENTS_GONE, message);
}

export function unknown() {
  return rpcError(Reason.NOT_FOUND, "The session has no such execution.");
}

export function eventsGone() {
  return gone("The events of this execution are no longer kept; read the session instead.");
}

/** The process that ran it died, and no other can continue it. */
export function interrupted() {
  return gone("The turn was interrupted, and its remaining events are lost; read the session instead.");
}
