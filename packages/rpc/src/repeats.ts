import { setImmediate as nextTurn } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";
import { status as Status, type StatusObject } from "@grpc/grpc-js";

/** Each refusal comes from one connection that closes, so a call rarely meets several. */
const maxRefusals = 10;

const refusals = new WeakSet<ConnectError>();

/**
 * True if the connection began to close before the server saw the call. grpc-js passes on nothing but its text. It
 * repeats such a call itself, but at once, and so mostly on the same connection.
 */
export function isRefusedStatus({ code, details }: StatusObject): boolean {
  return code === Status.UNAVAILABLE && details === "Stream refused by server";
}

export function markRefused(error: ConnectError): ConnectError {
  refusals.add(error);
  return error;
}

/** Decides whether a failed call is made again. */
export class Repeats {
  readonly #maxTries: number;
  #tries = 1;
  #refusals = 0;

  /** `maxTries` holds for a call that the server may have run. */
  constructor(maxTries: number) {
    this.#maxTries = maxTries;
  }

  /** `isLost` means that no response will come, although the call may have run. */
  async allows(error: ConnectError, isLost: boolean): Promise<boolean> {
    if (!refusals.has(error)) return isLost && this.#tries++ < this.#maxTries;
    // By then, grpc-js knows that the connection is closing.
    await nextTurn();
    return this.#refusals++ < maxRefusals;
  }
}
