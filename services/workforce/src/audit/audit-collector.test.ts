import assert from "node:assert/strict";
import type { AuditOutbox, PendingEntry } from "@muster/events/audit";
import { anAuditEntry } from "@muster/events/testing";
import { createLogger, ManualClock } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import type { WorkforceContext } from "../context.ts";
import { createAuditCollector } from "./audit-collector.ts";
import { type AuditStore, createAuditStore } from "./audit-store.ts";

const projectId = "prj_one";

/** An outbox with these entries. */
function outboxOf(entries: PendingEntry[]): AuditOutbox {
  return {
    list: async (limit) => entries.slice(0, limit),
    drop: async (places) => void entries.splice(0, places.length),
  };
}

const pendingEntry = (): PendingEntry => {
  const entry = anAuditEntry();
  return { collection: "changed", documentId: "a", entryId: entry.id, entry };
};

async function start(
  t: TestContext,
  auditOutboxes: Record<string, AuditOutbox>,
  changed: (audit: AuditStore) => Partial<AuditStore> = () => ({}),
) {
  const { db } = await openTestStore(t);
  const audit = createAuditStore(db);
  const collector = createAuditCollector({
    ...{ audit: { ...audit, ...changed(audit) }, auditOutboxes, auditRetentionDays: 400 },
    ...{ clock: new ManualClock(), instance: "ins_1", timings: { leaseMs: 10_000, pollEveryMs: 1 } },
    log: createLogger({ name: "test", level: "silent" }),
    // Only the parts that the collector uses.
  } as unknown as WorkforceContext);
  collector.start();
  t.onTestFinished(() => collector.stop());
  return audit;
}

test("a store that refuses the lease at first only delays the log", async (t) => {
  let refusals = 0;
  const audit = await start(t, { one: outboxOf([pendingEntry()]) }, ({ take }) => ({
    take: async (...lease) => {
      refusals += 1;
      if (refusals < 3) throw new Error("The disk is full.");
      return take(...lease);
    },
  }));
  await until("the entry is appended", async () => (await audit.chain(projectId, 0, 10)).length === 1);
});

test("a service whose entries never end delays no entry of another one", async (t) => {
  const busy: AuditOutbox = { list: async () => [pendingEntry()], drop: async () => undefined };
  const quiet = [pendingEntry()];
  const { id } = quiet[0]?.entry ?? {};
  await start(t, { busy, quiet: outboxOf(quiet) });
  await until("the other one's first entry is taken", () => quiet.length === 0);
  const next = pendingEntry();
  quiet.push(next);
  await until("and so is its next one", () => quiet.length === 0);
  assert.notEqual(next.entry.id, id);
});
