import { AbstractCursor, Collection, type Db } from "mongodb";

/** Is told of each operation when it has been sent: the driver's method, such as `findOneAndUpdate`, and its result. */
export type OperationWatcher = (operation: string, result: Promise<unknown>) => void;

/**
 * The database, which reports the operations of itself, its collections and their cursors: every method that returns a
 * promise. Not what leaves it for the driver, such as sessions, bulk builders and change streams.
 */
export function watchOperations(db: Db, watch: OperationWatcher): Db {
  return intercepted(db, watched(watch));
}

/** Sees the call of a method before it happens; the returned function receives the result and returns the caller's. */
type Interceptor = (method: string | symbol) => (result: unknown) => unknown;

// The driver's own alternative, `monitorCommands`, copies each command, decodes each reply a second time and costs a
// fifth of an operation. A proxy costs about a fiftieth, and cannot miss a method.
function intercepted<Target extends object>(target: Target, intercept: Interceptor): Target {
  return new Proxy(target, {
    get: (_, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        const finish = intercept(property);
        return finish(Reflect.apply(value, target, args));
      };
    },
  });
}

const watched =
  (watch: OperationWatcher): Interceptor =>
  (method) =>
  (result) => {
    if (result instanceof Promise) watch(String(method), result);
    if (result instanceof Collection) return intercepted(result, watched(watch));
    if (result instanceof AbstractCursor)
      return watchedCursor(result, (fetched) => watch(String(method), fetched));
    return result;
  };

/** Reports what asks the server, which is not each document: they arrive in batches. */
function watchedCursor<Cursor extends AbstractCursor>(
  cursor: Cursor,
  watch: (fetched: Promise<unknown>) => void,
): Cursor {
  const fetching = (isFetch: boolean) => {
    const asks = isFetch && isEmpty(cursor);
    return (result: unknown): unknown => {
      if (asks && result instanceof Promise) watch(result);
      return result;
    };
  };
  const proxy: Cursor = intercepted(cursor, (method) => {
    // No caller waits for data from a cursor that is being closed.
    const fetched = fetching(method !== "close");
    return (result) => {
      if (result === cursor) return proxy;
      if (result instanceof AbstractCursor) return watchedCursor(result, watch);
      if (method === Symbol.asyncIterator && isObject(result))
        return intercepted(result, (step) => fetching(step === "next"));
      return fetched(result);
    };
  });
  return proxy;
}

/** True if the next document, should there be one, is still on the server. */
function isEmpty(cursor: AbstractCursor): boolean {
  return !cursor.closed && cursor.bufferedCount() === 0 && cursor.id?.isZero() !== true;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
