import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@muster/proto/health";
import { createReadiness, type Dependency, type Readiness } from "@muster/service";
import { mountService } from "./handling.ts";

/** The name whose status is SERVING as long as the process responds at all. For liveness probes. */
export const livenessName = "liveness";

/**
 * The name whose status is SERVING from the end of the start until the stop begins, whatever the dependencies do. For routing
 * calls: a dependency that fails does so for all instances, and none is better than the others.
 */
export const selfName = "self";

/** The name whose status is NOT_SERVING while other writes than deletions fail because a disk is full. */
export const storageName = "storage";

/** Less than callers wait for the result, so that they learn which dependency does not respond. */
const checkTimeoutMs = 700;

/** A watcher learns of a change within this time. */
const watchEveryMs = 1_000;

export type HealthState = ReturnType<typeof createHealth>;

/**
 * The standard health service. The empty name and the names of the mounted services mean the whole server: SERVING
 * while it accepts calls and all of its dependencies respond. Each dependency has a status under its own name.
 */
export function createHealth(serviceNames: readonly string[]) {
  const whole = new Set(["", ...serviceNames]);
  let stopping = new AbortController();
  let readiness: (() => Promise<Readiness>) | undefined;

  const statusOf = async (name: string): Promise<Status> => {
    if (name === livenessName) return Status.SERVING;
    if (stopping.signal.aborted || readiness === undefined) {
      return whole.has(name) || name === selfName ? Status.NOT_SERVING : Status.SERVICE_UNKNOWN;
    }
    if (name === selfName) return Status.SERVING;
    const { isReady, dependencies, degraded } = await readiness();
    if (name === storageName) return degraded.includes("storage-full") ? Status.NOT_SERVING : Status.SERVING;
    if (whole.has(name)) return isReady ? Status.SERVING : Status.NOT_SERVING;
    const dependency = dependencies[name];
    if (dependency === undefined) return Status.SERVICE_UNKNOWN;
    return dependency === "ok" ? Status.SERVING : Status.NOT_SERVING;
  };

  const mounted = mountService(Health, {
    async check({ service }) {
      const status = await statusOf(service);
      if (status !== Status.SERVICE_UNKNOWN) return { status };
      throw new ConnectError("This server has no such service.", Code.NotFound);
    },
    async *watch({ service }, { signal }) {
      const ended = AbortSignal.any([signal, stopping.signal]);
      let last: Status | undefined;
      while (true) {
        const isLast = stopping.signal.aborted;
        const status = await statusOf(service);
        if (status !== last) yield { status };
        last = status;
        if (isLast) return;
        // Rejects only if it ends early, which the next round notices.
        await sleep(watchEveryMs, undefined, { signal: ended }).catch(() => undefined);
        signal.throwIfAborted();
      }
    },
  });
  return {
    mounted,
    /** From now on the server accepts calls and depends on these. Until then the status is NOT_SERVING. */
    serve(dependencies: readonly Dependency[]) {
      if (stopping.signal.aborted) stopping = new AbortController();
      readiness = createReadiness({ dependencies, checkTimeoutMs });
    },
    /** Whether the server accepts calls and all of its dependencies respond. Never rejects. */
    isServing: async () => (await statusOf("")) === Status.SERVING,
    /** From now on the status is NOT_SERVING: watchers are notified, and their streams end. */
    shutDown: () => stopping.abort(),
  };
}
