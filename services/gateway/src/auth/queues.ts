interface Queue {
  last: Promise<unknown>;
  length: number;
}

/** Runs the tasks of each name one after the other. Names without tasks take no memory. */
export class Queues {
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, Queue>();

  /** `maxWaiting`: per name, beside the task that runs. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** The task's result; undefined, and the task does not run, if too many tasks of this name wait. */
  run<T>(name: string, task: () => Promise<T>): Promise<T> | undefined {
    const queue = this.#queues.get(name) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length > this.#maxWaiting) return undefined;
    queue.length += 1;
    this.#queues.set(name, queue);
    const result = queue.last.then(task, task).finally(() => {
      queue.length -= 1;
      if (queue.length === 0) this.#queues.delete(name);
    });
    queue.last = result;
    return result;
  }
}
