/** Shares one read among callers who want the same thing at the same moment. */
export type SharedReads<Result> = (name: string, read: () => Promise<Result>) => Promise<Result>;

/** A read that is under way is joined by its name, which must say how new its result has to be. Nothing is kept. */
export function createSharedReads<Result>(): SharedReads<Result> {
  const running = new Map<string, Promise<Result>>();
  return (name, read) => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const reading = read().finally(() => running.delete(name));
    running.set(name, reading);
    return reading;
  };
}
