import { Code, ConnectError } from "@connectrpc/connect";
import type { CallTarget } from "./call-target.ts";
import type { Instances } from "./instances.ts";

export interface Silence {
  readonly instances: Instances;
  /** A call that has heard nothing for this long asks whether its instance responds at all. */
  readonly suspectAfterMs: number;
}

const silentInstanceErrors = new WeakSet<ConnectError>();

/** UNAVAILABLE: the instance went silent before it began to respond. It may still run the call when it wakes up. */
function silentInstanceError(): ConnectError {
  const error = new ConnectError("The instance does not respond.", Code.Unavailable);
  silentInstanceErrors.add(error);
  return error;
}

/** True if a {@link SilenceWatch} ended the call. A subclass could not tell: `instanceof` is true for any ConnectError. */
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

  constructor(silence: Silence, target: CallTarget, giveUp: (error: ConnectError) => void) {
    this.#silence = silence;
    this.#target = target;
    this.#giveUp = giveUp;
    this.#timer = this.#wait();
  }

  /** The instance has begun to respond, or the call has ended. */
  heard(): void {
    this.#hasHeard = true;
    clearTimeout(this.#timer);
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => void this.#check(), this.#silence.suspectAfterMs);
  }

  async #check(): Promise<void> {
    const isHopeless = await this.#isHopeless();
    if (this.#hasHeard) return;
    if (isHopeless) this.#giveUp(silentInstanceError());
    else this.#timer = this.#wait();
  }

  async #isHopeless(): Promise<boolean> {
    const { address } = this.#target;
    if (address === undefined) return ++this.#checksUnpicked >= maxChecksUnpicked;
    const responds = await this.#silence.instances.responds(address);
    // Meanwhile, the call may have been repeated on another instance.
    return !responds && this.#target.address === address;
  }
}
