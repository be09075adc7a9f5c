import { Code, ConnectError } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@muster/proto/health";
import { type Mounted, mountService } from "./mount.ts";

/** The standard health service: covers the whole server (the empty name) and each of its services. */
export interface HealthState {
  readonly mounted: Mounted;
  /** From now on the status is NOT_SERVING: watchers are notified, and their streams end. */
  shutDown(): void;
}

export function createHealth(serviceNames: readonly string[]): HealthState {
  const known = new Set(["", ...serviceNames]);
  let wake = Promise.withResolvers<void>();
  let isServing = true;
  const statusOf = (service: string) => {
    if (!known.has(service)) return Status.SERVICE_UNKNOWN;
    return isServing ? Status.SERVING : Status.NOT_SERVING;
  };
  const mounted = mountService(Health, {
    check({ service }) {
      if (!known.has(service)) throw new ConnectError("This server has no such service.", Code.NotFound);
      return { status: statusOf(service) };
    },
    async *watch({ service }, context) {
      yield { status: statusOf(service) };
      if (!isServing) return;
      await untilAborted(wake.promise, context.signal);
      yield { status: statusOf(service) };
    },
  });
  return {
    mounted,
    shutDown() {
      isServing = false;
      wake.resolve();
      wake = Promise.withResolvers<void>();
    },
  };
}

/** Waits for the promise; throws the signal's reason if it is aborted first. */
async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
