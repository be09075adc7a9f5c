import type { Metrics } from "@muster/metrics";
import type { HiddenStore } from "./hidden-store.ts";
import type { LockOutcome } from "./session-leases.ts";
import type { SessionStore } from "./session-store.ts";

/** The store, which counts the leases that it takes from processes that have died; the store itself without metrics. */
export function measureLeases(store: SessionStore, metrics: Metrics | undefined): SessionStore {
  if (metrics === undefined) return store;
  return {
    ...store,
    lock: async (...order) => counted(metrics, await store.lock(...order)),
    adopt: async (...order) => counted(metrics, await store.adopt(...order)),
  };
}

/** The same for the sessions of workforce threads. */
export function measureHiddenLeases(store: HiddenStore, metrics: Metrics | undefined): HiddenStore {
  if (metrics === undefined) return store;
  return {
    ...store,
    ...measureLeases(store, metrics),
    lockFor: async (...order) => counted(metrics, await store.lockFor(...order)),
  };
}

function counted<Outcome extends LockOutcome | undefined>(metrics: Metrics, outcome: Outcome): Outcome {
  if (outcome?.locked && isAbandoned(outcome.before.lease))
    metrics.count("muster_lease_takeovers_total", { kind: "session" });
  return outcome;
}

/** A process that stops hands its leases over, as if they had run out in 1970. */
function isAbandoned(lease: { until: Date } | null): boolean {
  return lease !== null && lease.until.getTime() > 0;
}
