import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import { test } from "vitest";
import type { Held } from "./moves.ts";
import type { SessionDocument } from "./session-document.ts";
import { createSessionStore } from "./session-store.ts";

const now = new Date(Date.UTC(2026, 5, 1));
const held: Held = { projectId: "prj_1", sessionId: "ses_1", epoch: 4, runId: "run_1" };
const pendingEvents = {
  ...{ executionId: "exe_1", run: 4, first: 1, count: 1, isLast: true },
  events: `text-delta {"delta":"${"word ".repeat(1_000)}"}`,
  keptUntil: new Date(now.getTime() + 60_000),
};
const session: SessionDocument = {
  ...{ _id: held.sessionId, projectId: held.projectId, agentId: "agt_1", agentVersion: 1 },
  ...{ status: "active", input: "{}", head: [], tail: "[]", memory: "{}", title: null, messageCount: 0 },
  ...{ createdAt: now, updatedAt: now, expiresAt: null, epoch: 4, lease: null, execution: null },
  pendingEvents,
};

test("a lock reads all of a session, also the events of its last turn, and leaves these to their readers", async (t) => {
  const store = createSessionStore((await openTestStore(t)).db);
  await store.insert(session);
  const locked = await store.lock(held, { runId: "run_2", holder: "run_0", until: now }, null, now);
  assert.ok(locked.locked);
  assert.deepEqual(locked.before, session);
  assert.deepEqual(await store.findPendingEvents(held), [pendingEvents]);
  assert.equal(await store.undoLock(locked.held, locked.before), true);
  assert.deepEqual(await store.findPendingEvents(held), [pendingEvents]);
});

test("an adoption reads the events of the turn too, because it continues behind them", async (t) => {
  const store = createSessionStore((await openTestStore(t)).db);
  const lease = { runId: held.runId, holder: "run_0", until: now, cancelRequested: false };
  await store.insert({ ...session, lease });
  const to = { runId: "run_2", holder: "run_0", until: now, executionId: "exe_1", run: 4 };
  const adopted = await store.adopt(held, to, null, now);
  assert.deepEqual(adopted?.before.pendingEvents, pendingEvents);
});
