import { Code, ConnectError } from "@connectrpc/connect";
import type { CallTarget } from "./call-target.ts";
import type { Instances } from "./instances.ts";

export interface Silence {
  readonly instances: Instances;
  /** A call that has heard nothing for this long asks whether its instance responds at all. */
  readonly suspectAfterMs: number;
  /** The pause between two checks whether a silent instance is back. */
  readonly pauseMs: number;
  /**
   * So many pauses a call waits for the only instances if all are silent, and a call that cannot be repeated for its
   * own. Pauses are counted, not time: on a busy machine, the work in between takes long.
   */
  readonly maxPauses: number;
}

const silentInstanceErrors = new WeakSet<ConnectError>();

/** UNAVAILABLE: the instance went silent before it began to respond. It may still run the call when it wakes up. */
function silentInstanceError(): ConnectError {
  const error = new ConnectError("The instance does not respond.", Code.Unavailable);
  silentInstanceErrors.add(error);
  return error;
}

/**
 * True if a {@link SilenceWatch} ended the call. A subclass could not distinguish: `instanceof` is true for any
 * ConnectError.
 */
export function isSilentInstance(error: ConnectError): boolean {
  return silentInstanceErrors.has(error);
}

/** Without a connected instance, a call gives up after this many checks. */
const maxChecksUnpicked = 3;

/** Ends a call early if its instance goes silent before it has begun to respond. A slow instance is left alone. */
export class SilenceWatch {
  readonly #silence: Silence;
  readonly #target: CallTarget;
  readonly #giveUp: (error: ConnectError) => void;
  #timer: NodeJS.Timeout;
  #hasHeard = false;
  #checksUnpicked = 0;
  #pausesLeft: number;

  constructor(
    silence: Silence,
    { target, canMove }: { target: CallTarget; canMove: boolean },
    giveUp: (error: ConnectError) => void,
  ) {
    this.#silence = silence;
    this.#target = target;
    this.#giveUp = giveUp;
    this.#pausesLeft = canMove ? 0 : silence.maxPauses;
    this.#timer = this.#wait(silence.suspectAfterMs);
  }

  /** The instance has begun to respond, or the call has ended. */
  heard(): void {
    this.#hasHeard = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#check(), ms);
  }

  async #check(): Promise<void> {
    const waitMs = await this.#nextWaitMs();
    if (this.#hasHeard) return;
    if (waitMs === undefined) this.#giveUp(silentInstanceError());
    else this.#timer = this.#wait(waitMs);
  }

  /** Until the next check; undefined without hope. */
  async #nextWaitMs(): Promise<number | undefined> {
    const { instances, suspectAfterMs, pauseMs } = this.#silence;
    const { address } = this.#target;
    if (address === undefined) return ++this.#checksUnpicked < maxChecksUnpicked ? suspectAfterMs : undefined;
    const responds = await instances.responds(address);
    // Meanwhile, the call may have been repeated on another instance.
    if (responds || this.#target.address !== address) return suspectAfterMs;
    return this.#pausesLeft-- > 0 ? pauseMs : undefined;
  }
}
