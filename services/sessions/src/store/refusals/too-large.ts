import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { type Sized, storedBytes } from "../session-document.ts";

export function tooLarge(message: string) {
  return rpcError(Reason.TOO_LARGE, message);
}

/** Refuses a state that is too large, before it is written. */
export function assertStorable({ maxStateBytes }: { maxStateBytes: number }, state: Sized): void {
  if (storedBytes(state) <= maxStateBytes) return;
  throw tooLarge(`Input and messages together may take at most ${maxStateBytes} bytes; send less.`);
}
