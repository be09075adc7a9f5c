import type { AuditOutbox, PendingEntry } from "@muster/events/audit";
import type { WorkforceContext } from "../context.ts";

const pageSize = 500;
/** In one round, of one service. */
const maxPages = 20;
const pruneEveryMs = 3_600_000;
const dayMs = 24 * 3_600_000;

/** Takes entries out of the documents of all services, and appends them to the audit log: on one instance at a time. */
export function createAuditCollector(context: WorkforceContext) {
  const { audit, auditOutboxes, clock, log, timings, instance, onlyHolder, metrics } = context;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
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
    for (let pages = 0; pages < maxPages && !isStopped; pages++) {
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

  const round = async () => {
    try {
      const now = clock.now();
      const startMs = clock.monotonicMs();
      const until = new Date(now + timings.leaseMs);
      if (!(await audit.take({ holder: instance, until }, new Date(now), onlyHolder))) {
        completeMs = undefined;
        return;
      }
      completeMs ??= startMs;
      const done = await Promise.all(
        Object.entries(auditOutboxes).map(([name, outbox]) => drainOne(name, outbox)),
      );
      if (done.every(Boolean)) completeMs = startMs;
      await prune();
    } catch (error) {
      log.warn({ err: error }, "the audit log could not be continued");
    }
  };

  const schedule = () => {
    timer = setTimeout(() => {
      running = round().finally(() => {
        if (!isStopped) schedule();
      });
    }, timings.pollEveryMs);
  };

  const lagS = () => (completeMs === undefined ? 0 : (clock.monotonicMs() - completeMs) / 1e3);
  const ends = [
    metrics?.gauge("muster_audit_lag_seconds", {}, async () => lagS()),
    metrics?.gauge("muster_audit_pending", {}, async () => [...waiting.values()].reduce((a, b) => a + b, 0)),
  ];
  return {
    start: schedule,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
      for (const end of ends) end?.();
      // A lease that cannot be given up ends by itself.
      await audit.release(instance).catch(() => undefined);
    },
  };
}
