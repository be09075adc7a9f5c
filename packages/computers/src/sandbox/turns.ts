/** Runs tasks one after the other, in the order in which they came. */
export interface Turns {
  /** Rejects with the signal's reason if it aborts while the task waits; a task that runs watches the signal itself. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(task, signal) {
      const before = last;
      const turn = before.then(() => {
        signal?.throwIfAborted();
        return task();
      });
      last = turn.catch(() => {});
      if (signal === undefined) return turn;
      // Its place in the line remains, but the caller need not wait for it.
      return new Promise((resolve, reject) => {
        let started = false;
        void before.then(() => {
          started = true;
        });
        const leave = () => {
          if (!started) reject(signal.reason);
        };
        if (signal.aborted) leave();
        signal.addEventListener("abort", leave, { once: true });
        turn.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
      });
    },
  };
}
