/** Runs a task after those that were given before with the same key, whether they succeeded or not. */
export type InOrder = <T>(key: string, task: () => Promise<T>) => Promise<T>;

export function createInOrder(): InOrder {
  const last = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const running = (last.get(key) ?? Promise.resolve()).then(task);
    const ended = running.catch(() => undefined);
    last.set(key, ended);
    try {
      return await running;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
