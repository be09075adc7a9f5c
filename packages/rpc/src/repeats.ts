import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { Code, type ConnectError } from "@connectrpc/connect";
import { status as Status, type StatusObject } from "@grpc/grpc-js";
import { allSilentText, unsentPrefix } from "./balancing/balancer.ts";
import { isSilentInstance, type Silence } from "./balancing/silence-watch.ts";
import type { Naming } from "./resolving/name-resolver.ts";

/** Each refusal comes from one connection that closes, so a call rarely meets several. */
const maxRefusals = 10;
/** How often one call searches for other instances. Each time, their list must have changed. */
const maxSearches = 5;
/** While DNS does not respond, calls to a service that is gone must still fail soon. */
const maxSearchMs = 1_000;

type Fate = "refused" | "silent" | "unsent" | "broken";

const fates = new WeakMap<ConnectError, Fate>();

/**
 * Remembers what the status shows about a call that failed with UNAVAILABLE. All fates but `broken` mean that no handler has
 * seen the call, so that any call may be made again. `refused`: the connection began to close before the server saw the
 * call. grpc-js passes on nothing but its text. It repeats such a call itself, but at once, and so mostly on the same
 * connection. `silent`: all connected instances are. `unsent`: no instance was connected. `broken`: the stream ended with a
 * code that grpc-js repeats for no method, such as INTERNAL for a connection that a killed process has reset while the call
 * was being written.
 */
export function markFate(error: ConnectError, { code, details }: StatusObject): ConnectError {
  if (error.code !== Code.Unavailable) return error;
  if (code !== Status.UNAVAILABLE) fates.set(error, "broken");
  else if (details === "Stream refused by server") fates.set(error, "refused");
  else if (details === allSilentText) fates.set(error, "silent");
  else if (details.startsWith(unsentPrefix)) fates.set(error, "unsent");
  return error;
}

interface RepeatsOptions {
  /** For a call that the server may have run. */
  maxTries: number;
  deadlineMs: number;
  signal: AbortSignal | undefined;
  /** Where other instances are found. Absent: the call can only go where it went. */
  naming: Pick<Naming, "changes" | "lookUpAgain"> | undefined;
  /** Absent: no instance is taken for silent. */
  silence: Pick<Silence, "pauseMs" | "maxPauses"> | undefined;
}

/** Decides whether a failed call is made again. */
export class Repeats {
  readonly #options: RepeatsOptions;
  #tries = 1;
  #refusals = 0;
  #searches = 0;
  #pauses = 0;
  /** The changes of the instances when the last try began. */
  #changes: number | undefined;

  constructor(options: RepeatsOptions) {
    this.#options = options;
    this.#changes = options.naming?.changes;
  }

  /** `hadHeader`: the server had begun to respond, and so grpc-js did not repeat the call itself. */
  async allows(error: ConnectError, hadHeader: boolean): Promise<boolean> {
    const fate = fates.get(error);
    if (fate === "silent") return this.#waitsForSilent();
    if (fate === "unsent") return this.#findsOthers();
    // By then, grpc-js knows that the connection is closing.
    await nextTurn();
    if (fate === "refused") return this.#refusals++ < maxRefusals;
    const isLost =
      fate === "broken" || isSilentInstance(error) || (hadHeader && error.code === Code.Unavailable);
    return isLost && this.#tries++ < this.#options.maxTries;
  }

  /** On a busy machine, healthy instances are silent for seconds. Meanwhile, others may be connected. */
  async #waitsForSilent(): Promise<boolean> {
    const { deadlineMs, signal, silence } = this.#options;
    if (silence === undefined || this.#pauses++ >= silence.maxPauses) return false;
    // Without time for another try, "no instance responds" says more than a passed deadline.
    if (Date.now() + 2 * silence.pauseMs > deadlineMs) return false;
    // An abort only ends the wait.
    await pause(silence.pauseMs, undefined, { signal }).catch(() => undefined);
    return signal?.aborted !== true;
  }

  /**
   * All known instances may have been replaced since their name was looked up. False without any that are new, so that
   * calls to a service that is gone fail at once.
   */
  async #findsOthers(): Promise<boolean> {
    const { naming, deadlineMs, signal } = this.#options;
    if (naming === undefined || this.#searches++ >= maxSearches) return false;
    if (naming.changes === this.#changes) await this.#search(naming.lookUpAgain(), deadlineMs, signal);
    const hasOthers = naming.changes !== this.#changes;
    this.#changes = naming.changes;
    return hasOthers;
  }

  async #search(lookUp: Promise<void>, deadlineMs: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const waitMs = Math.max(0, Math.min(maxSearchMs, deadlineMs - Date.now()));
    const ended = AbortSignal.any(signal === undefined ? [over.signal] : [over.signal, signal]);
    // An abort only ends the wait: the caller decides by whether the instances have changed.
    const late = pause(waitMs, undefined, { signal: ended }).catch(() => undefined);
    await Promise.race([lookUp, late]);
    over.abort();
  }
}
