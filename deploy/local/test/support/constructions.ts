import { type Profiler, Session } from "node:inspector/promises";

/** An exception class as V8 names the function of its constructor, also inside Node. */
const exceptionName = /(?:Error|Exception|Problem|Failure|Refusal)$/;

/**
 * Counts the exceptions constructed while `action` runs, thrown or not: calls of the constructors of exception classes,
 * Node's own among them, and uses of the global error classes, which V8 does not count.
 */
export async function constructionsDuring(action: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  const made: string[] = [];
  const restore = watchGlobalErrors(made);
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    await action();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return [...made, ...result.flatMap(calledConstructors)];
  } finally {
    restore();
    session.disconnect();
  }
}

function calledConstructors({ url, functions }: Profiler.ScriptCoverage): string[] {
  return functions
    .filter(({ functionName }) => exceptionName.test(functionName) && /^[A-Z]/.test(functionName))
    .flatMap(({ functionName, ranges }) => {
      const count = ranges[0]?.count ?? 0;
      return count === 0 ? [] : [`${functionName} (${count} times, ${url})`];
    });
}

function watchGlobalErrors(made: string[]): () => void {
  const original = { Error, TypeError, RangeError, SyntaxError, AggregateError };
  const watched = Object.entries(original).map(([name, base]) => {
    const note = (args: unknown[]) => {
      const stack = new original.Error().stack?.split("\n").slice(3, 6).join(" ") ?? "";
      // The tests' set-up file records where sockets are opened.
      if (!stack.includes("/scripts/test/")) made.push(`${name}: ${String(args[0])} ${stack}`);
    };
    return [
      name,
      new Proxy(base, {
        construct: (target, args, newTarget) => {
          note(args);
          return Reflect.construct(target, args, newTarget);
        },
        apply: (target, self, args) => {
          note(args);
          return Reflect.apply(target, self, args);
        },
      }),
    ] as const;
  });
  Object.assign(globalThis, Object.fromEntries(watched));
  return () => void Object.assign(globalThis, original);
}
