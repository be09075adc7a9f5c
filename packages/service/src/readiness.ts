import type { StorageWatch } from "./storage-watch.ts";

/** Something outside a process that it cannot work without. */
export interface Dependency {
  /** Shown to operators, such as `store`. */
  readonly name: string;
  /** Resolves if it responds. Rejects with {@link NotReadyError} if it responds but cannot work itself. */
  check(): Promise<unknown>;
  /** A sentence for callers while it is known not to respond: their calls then fail at once. Must be cheap. */
  outage?(): string | undefined;
  /** Whether it reads and deletes but refuses other writes because its disk is full. Never rejects. */
  isStorageFull?(): Promise<boolean>;
}

/** An operation that a ready process cannot do. */
export type Degradation = "storage-full";

export type DependencyStatus = "ok" | "not_ready" | "unreachable";

export interface Readiness {
  readonly isReady: boolean;
  /** By name. The missing parts of a dependency itself are listed as `<dependency>.<name>`. */
  readonly dependencies: Readonly<Record<string, DependencyStatus>>;
  readonly degraded: readonly Degradation[];
}

/** A dependency responds, but some of its own dependencies do not. */
export class NotReadyError extends Error {
  readonly dependencies: Readonly<Record<string, DependencyStatus>>;

  constructor(dependencies: Readonly<Record<string, DependencyStatus>>) {
    super("The dependency is not ready.");
    this.name = "NotReadyError";
    this.dependencies = dependencies;
  }
}

export interface ReadinessOptions {
  dependencies: readonly Dependency[];
  /** The process's own disks. */
  storages?: readonly Pick<StorageWatch, "isFull">[];
  /** A dependency that has not responded after this time counts as unreachable. Default: 1 s. */
  checkTimeoutMs?: number;
  /** How long a result is reused, so that polls of a public endpoint do not reach the dependencies. Default: 1 s. */
  cacheMs?: number;
  /** A monotonic time in milliseconds. */
  now?: () => number;
}

/** Creates a check of all dependencies at once. Concurrent callers share one check. It never rejects. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { cacheMs = 1_000, now = () => performance.now() } = options;
  let latest: { startMs: number; result: Promise<Readiness> } | undefined;
  return () => {
    if (latest === undefined || now() - latest.startMs >= cacheMs) {
      latest = { startMs: now(), result: checkAll(options) };
    }
    return latest.result;
  };
}

async function checkAll(options: ReadinessOptions): Promise<Readiness> {
  const { dependencies, storages = [], checkTimeoutMs = 1_000 } = options;
  const checked = Promise.all(dependencies.map((dependency) => statusesOf(dependency, checkTimeoutMs)));
  const full = Promise.all([
    ...storages.map((storage) => storage.isFull()),
    ...dependencies.map(async (dependency) => {
      return await within(checkTimeoutMs, dependency.isStorageFull?.()).catch(() => false);
    }),
  ]);
  const entries = (await checked).flat();
  return {
    isReady: entries.every(([, status]) => status === "ok"),
    dependencies: Object.fromEntries(entries),
    degraded: (await full).includes(true) ? ["storage-full"] : [],
  };
}

async function statusesOf(
  dependency: Dependency,
  timeoutMs: number,
): Promise<Array<[string, DependencyStatus]>> {
  const { name } = dependency;
  if (dependency.outage?.() !== undefined) return [[name, "unreachable"]];
  try {
    await within(timeoutMs, dependency.check());
    return [[name, "ok"]];
  } catch (error) {
    if (!(error instanceof NotReadyError)) return [[name, "unreachable"]];
    const own = Object.entries(error.dependencies);
    const parts = own.map(([part, status]): [string, DependencyStatus] => [`${name}.${part}`, status]);
    return [[name, "not_ready"], ...parts];
  }
}

async function within<T>(timeoutMs: number, response: Promise<T> | T): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("the dependency does not respond")), timeoutMs);
  try {
    return await Promise.race([response, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
