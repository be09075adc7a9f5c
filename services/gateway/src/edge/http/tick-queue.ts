import { claimTick, inFreeTick, isTickSpent } from "@muster/large-data";
import { FairQueue } from "@muster/service";

/**
 * Spreads short pieces of work for clients over the ticks of the main loop, by the time that they take. Owners whose work
 * waits take turns, and so do their members.
 */
export class TickQueue {
  readonly #queue = new FairQueue({ running: 1 });

  /**
   * The result of the work: at once if this tick has time for it and for the caller's next step, and nothing else
   * waits.
   */
  run<T>(owner: string, member: string, work: () => T): T | Promise<T> {
    if (this.#queue.running > 0 || !claimTick()) {
      return this.#queue.run(owner, async () => await unlessSpent(await freeTick(work)), { member });
    }
    return unlessSpent(work());
  }
}

function unlessSpent<T>(result: T): T | Promise<T> {
  return isTickSpent() ? freeTick(() => result) : result;
}

function freeTick<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    inFreeTick(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}
