import type { Transport } from "@muster/rpc";
import { type Dependency, stopAll } from "@muster/service";
import type { Closers } from "./start-infrastructure.ts";

/** The first requests have priority. Work that a start resumes waits this long. */
const afterMs = 250;

/** Something that starts when the server listens already. */
export interface Later<Started> {
  /** Resolves when it has started; begins the start unless it has begun. */
  reach(): Promise<Started>;
  readonly isStarted: boolean;
  /** From now on it starts by itself, too. */
  schedule(): void;
  /** Waits for a start that has begun, and undoes it. */
  stop(): Promise<void>;
}

/** `start` registers how to undo its steps. If it fails, `onFatal` receives the reason: the process is not complete. */
export function startLater<Started>(
  start: (closers: Closers) => Promise<Started>,
  onFatal: (error: Error) => void,
): Later<Started> {
  const closers: Closers = [];
  let starting: Promise<Started> | undefined;
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  const begin = async () => {
    const started = await start(closers);
    isStarted = true;
    return started;
  };
  const reach = () => {
    if (starting === undefined) {
      starting = begin();
      starting.catch(onFatal);
    }
    return starting;
  };
  return {
    reach,
    get isStarted() {
      return isStarted;
    },
    schedule: () => {
      // A failure is reported by `reach` itself.
      timer = setTimeout(() => void reach().catch(() => undefined), afterMs);
    },
    stop: async () => {
      clearTimeout(timer);
      await starting?.catch(() => undefined);
      await stopAll(closers.splice(0).reverse());
    },
  };
}

/** Calls wait for their service, so callers notice nothing but a first call that takes longer. */
export function transportToLater({ reach }: Later<Transport>): Transport {
  return {
    unary: async (...call) => (await reach()).unary(...call),
    stream: async (...call) => (await reach()).stream(...call),
  };
}

/** The dependency counts as ready until its service has started: nothing fails meanwhile. */
export function readyUntilStarted(
  { name, check, isStorageFull }: Dependency,
  later: Later<unknown>,
): Dependency {
  return {
    name,
    check: async () => (later.isStarted ? check() : undefined),
    isStorageFull: async () => later.isStarted && ((await isStorageFull?.()) ?? false),
  };
}
