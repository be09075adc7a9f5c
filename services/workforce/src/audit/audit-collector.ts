import { setTimeout as delay } from "node:timers/promises";
import type { Subscription } from "@muster/events";
import type { AuditOutbox, PendingEntry } from "@muster/events/audit";
import type { WorkforceContext } from "../context.ts";

const pageSize = 500;
/** In one round, of one service. */
const maxPages = 20;
const pruneEveryMs = 3_600_000;
const dayMs = 24 * 3_600_000;
/** Busy sessions change these many times a second; the sweep finds their few entries. */
const rarelyAudited: ReadonlySet<string> = new Set(["/api/agent-sessions", "/api/tool-calls", "/api/files"]);

/** Takes entries out of the documents of all services, and appends them to the audit log: on one instance at a time. */
export function createAuditCollector(context: WorkforceContext) {
  const { audit, auditOutboxes, bus, clock, log, timings, instance, onlyHolder, metrics } = context;
  const ending = new AbortController();
  let bell = new AbortController();
  let subscription: Subscription | undefined;
  let running: Promise<void> = Promise.resolve();
  let prunedMs: number | undefined;
  /** When everything that waited then had been appended, by the monotonic clock. Absent: this instance does not append. */
  let completeMs: number | undefined;
  const waiting = new Map<string, number>();
  const failing = new Set<string>();

  const append = async (pending: readonly PendingEntry[]): Promise<void> => {
    const byProject = Map.groupBy(pending, ({ entry }) => entry.projectId);
    for (const [projectId, ofProject] of byProject) {
      const entries = ofProject.map(({ entry }) => entry);
      await audit.append(
        projectId,
        entries.sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
    }
  };

  /** Whether nothing is left. A busy service leaves the rest to the next round, so that the others have theirs. */
  const drain = async (name: string, outbox: AuditOutbox): Promise<boolean> => {
    for (let pages = 0; pages < maxPages && !ending.signal.aborted; pages++) {
      const pending = await outbox.list(pageSize);
      waiting.set(name, pending.length);
      if (pending.length === 0) return true;
      await append(pending);
      await outbox.drop(pending);
      metrics?.count("muster_audit_entries_total", {}, pending.length);
    }
    return false;
  };

  /** Whether nothing is left. A service that does not answer delays only its own entries. */
  const drainOne = async (name: string, outbox: AuditOutbox): Promise<boolean> => {
    try {
      const isDone = await drain(name, outbox);
      failing.delete(name);
      return isDone;
    } catch (error) {
      if (!failing.has(name)) log.warn({ err: error, from: name }, "entries of the audit log wait");
      failing.add(name);
      return false;
    }
  };

  const prune = async () => {
    const nowMs = clock.monotonicMs();
    if (prunedMs !== undefined && nowMs - prunedMs < pruneEveryMs) return;
    prunedMs = nowMs;
    const olderThan = new Date(clock.now() - context.auditRetentionDays * dayMs);
    for await (const projectId of audit.projects()) await audit.prune(projectId, olderThan);
  };

  /** Whether this instance has nothing left to append. */
  const round = async (): Promise<boolean> => {
    try {
      const now = clock.now();
      const startMs = clock.monotonicMs();
      const until = new Date(now + timings.sweepEveryMs + timings.leaseMs);
      if (!(await audit.take({ holder: instance, until }, new Date(now), onlyHolder))) {
        completeMs = undefined;
        return true;
      }
      completeMs ??= startMs;
      const done = await Promise.all(
        Object.entries(auditOutboxes).map(([name, outbox]) => drainOne(name, outbox)),
      );
      const isComplete = done.every(Boolean);
      if (isComplete) completeMs = startMs;
      await prune();
      return isComplete;
    } catch (error) {
      log.warn({ err: error }, "the audit log could not be continued");
      return false;
    }
  };

  /** Also resolves when the signal is aborted, which ends the pause. */
  const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

  /** A change after a quiet time is appended at once; many changes share a round. */
  const run = async () => {
    for (let isComplete = true; ; ) {
      if (isComplete) await pause(timings.sweepEveryMs, AbortSignal.any([ending.signal, bell.signal]));
      bell = new AbortController();
      if (ending.signal.aborted) return;
      isComplete = await round();
      await pause(timings.pollEveryMs, ending.signal);
    }
  };

  const lagS = () => (completeMs === undefined ? 0 : (clock.monotonicMs() - completeMs) / 1e3);
  const ends = [
    metrics?.gauge("muster_audit_lag_seconds", {}, async () => lagS()),
    metrics?.gauge("muster_audit_pending", {}, async () => [...waiting.values()].reduce((a, b) => a + b, 0)),
  ];
  return {
    start: async () => {
      running = run();
      subscription = await bus.subscribe("gateway.changed", { broadcast: true }, async ({ address }) => {
        if (!rarelyAudited.has(address)) bell.abort();
      });
    },
    stop: async () => {
      ending.abort();
      await subscription?.close();
      await running;
      for (const end of ends) end?.();
      // A lease that cannot be given up ends by itself.
      await audit.release(instance).catch(() => undefined);
    },
  };
}
