import assert from "node:assert/strict";
import { CollectedMetrics } from "@muster/metrics/testing";
import { openTestStore } from "@muster/store/testing";
import type { TestScope } from "@muster/testing";
import { test } from "vitest";
import { createHiddenStore } from "./hidden-store.ts";
import type { SessionDocument } from "./session-document.ts";
import { createSessionStore } from "./session-store.ts";

const nowMs = Date.UTC(2026, 5, 1);
const now = new Date(nowMs);
const later = new Date(nowMs + 60_000);
const key = { projectId: "prj_1", sessionId: "ses_1" };
const held = { ...key, epoch: 1, runId: "run_1" };
const next = { runId: "run_2", holder: "me", until: later };

/** A session whose lease ended then; null: it has none. */
function sessionWith(until: Date | null): SessionDocument {
  return {
    _id: key.sessionId,
    projectId: key.projectId,
    ...{
      agentId: "agt_1",
      agentVersion: 1,
      status: "active",
      input: "{}",
      head: [],
      tail: "[]",
      memory: "{}",
    },
    ...{ createdAt: now, updatedAt: now, expiresAt: null, epoch: held.epoch, execution: null },
    lease: until && { runId: held.runId, holder: "other", until, cancelRequested: false },
  };
}

async function measuredStores(t: TestScope) {
  const metrics = new CollectedMetrics("sessions");
  const { db } = await openTestStore(t);
  const store = createSessionStore(db, { metrics });
  const hidden = createHiddenStore(db, { metrics });
  return {
    ...{ store, hidden },
    takeOvers: async () => (await metrics.read()).total("muster_lease_takeovers_total", { kind: "session" }),
  };
}

test("a session's lease of a dead process counts as taken over, by its next turn or by one that continues its own", async (t) => {
  const { store, hidden, takeOvers } = await measuredStores(t);
  const died = sessionWith(new Date(nowMs - 1));
  for (const one of [store, hidden])
    await one.insert({ ...died, execution: { id: "exe_1", state: "running", frame: "{}" } });
  assert.equal((await store.lock(key, next, null, now)).locked, true);
  assert.equal(await takeOvers(), 1);
  const adopted = await hidden.adopt(held, { ...next, executionId: "exe_1", run: 1 }, null, now);
  assert.equal(adopted?.locked, true);
  assert.equal(await takeOvers(), 2);
});

test("a free session, one that is in use, and one that was handed over count as none", async (t) => {
  const { store, hidden, takeOvers } = await measuredStores(t);
  await store.insert(sessionWith(null));
  assert.equal((await store.lock(key, next, null, now)).locked, true);
  assert.equal((await store.lock(key, { ...next, runId: "run_3" }, null, now)).locked, false);
  await hidden.insert(sessionWith(new Date(0)));
  assert.equal((await hidden.lock(key, next, null, now)).locked, true);
  assert.equal(await takeOvers(), 0);
});
