import assert from "node:assert/strict";
import { createInProcessBus } from "@muster/events";
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
  sweepEveryMs = 1,
) {
  const { db } = await openTestStore(t);
  const log = createLogger({ name: "test", level: "silent" });
  const bus = createInProcessBus({ log });
  t.onTestFinished(() => bus.close());
  const audit = createAuditStore(db);
  const collector = createAuditCollector({
    ...{ audit: { ...audit, ...changed(audit) }, auditOutboxes, auditRetentionDays: 400 },
    ...{ clock: new ManualClock(), instance: "ins_1", bus, log },
    timings: { leaseMs: 10_000, pollEveryMs: 1, sweepEveryMs },
    // Only the parts that the collector uses.
  } as unknown as WorkforceContext);
  await collector.start();
  t.onTestFinished(() => collector.stop());
  return { audit, bus };
}

test("a store that refuses the lease at first only delays the log", async (t) => {
  let refusals = 0;
  const { audit } = await start(t, { one: outboxOf([pendingEntry()]) }, ({ take }) => ({
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

test("a change through a gateway is appended at once, whereas one of a session waits for the sweep", async (t) => {
  const takes: string[] = [];
  const entries = [pendingEntry()];
  const counted = ({ take }: AuditStore): Partial<AuditStore> => ({
    take: (...lease) => {
      takes.push("taken");
      return take(...lease);
    },
  });
  const { audit, bus } = await start(t, { one: outboxOf(entries) }, counted, 3_600_000);
  const heard: string[] = [];
  await bus.subscribe(
    "gateway.changed",
    { broadcast: true },
    async ({ address }) => void heard.push(address),
  );
  const change = (address: string) =>
    bus.publish("gateway.changed", { projectId, address }, { id: `evt_${address}` });
  await change("/api/agent-sessions");
  await until("the change is heard", () => heard.length === 1);
  await audit.chain(projectId, 0, 10);
  assert.deepEqual(takes, []);
  await change("/api/admin/keys");
  await until("the entry is taken", () => entries.length === 0);
});
