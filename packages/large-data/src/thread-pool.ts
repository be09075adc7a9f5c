import { fileURLToPath } from "node:url";
import { Tinypool } from "tinypool";

/** Too many tasks are waiting already. */
export class TooManyTasksError extends Error {}

type Task = (input: never) => unknown;

/** Runs the functions of one module on threads of their own. */
export interface ThreadPool<Module extends Record<keyof Module, Task>> {
  /**
   * Runs an exported function. Its input and result are copied, which blocks the main loop: strings and bytes are
   * cheap, objects are not. `move`: buffers to hand over instead of a copy. `signal`: gives the task up, with its
   * thread if it is running. Throws TooManyTasksError, and AbortError.
   */
  run<Name extends keyof Module & string>(
    name: Name,
    input: Parameters<Module[Name]>[0],
    move?: ArrayBuffer[],
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Module[Name]>>>;
  /** Ends all threads; tasks in progress fail. */
  close(): Promise<void>;
}

export interface ThreadPoolOptions {
  maxThreads: number;
  /** Tasks that may wait for a thread. */
  maxWaiting: number;
}

/** A thread that has had nothing to do for this long ends. */
const idleMs = 30_000;

/** No thread starts before the first task. Idle threads do not keep the process alive. */
export function createThreadPool<Module extends Record<keyof Module, Task>>(
  module: URL,
  { maxThreads, maxWaiting }: ThreadPoolOptions,
): ThreadPool<Module> {
  let pool: Tinypool | undefined;
  const start = () =>
    new Tinypool({
      filename: fileURLToPath(module),
      minThreads: 0,
      maxThreads,
      // Counted below, because the pool's own limit also counts tasks for which a thread is starting.
      maxQueue: Number.POSITIVE_INFINITY,
      idleTimeout: idleMs,
    });
  let running = 0;
  return {
    run: async (name, input, move = [], signal) => {
      if (running >= maxThreads + maxWaiting) throw new TooManyTasksError("Too many tasks are waiting.");
      running += 1;
      try {
        pool ??= start();
        return await pool.run(input, { name, transferList: move, ...(signal && { signal }) });
      } finally {
        running -= 1;
      }
    },
    close: async () => {
      await pool?.destroy();
    },
  };
}
