import assert from "node:assert/strict";
import { createNotices } from "@muster/events";
import { CollectedMetrics } from "@muster/metrics/testing";
import { createIds, ManualClock, systemClock } from "@muster/service";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { onTestFinished, test } from "vitest";
import { anAgent, aSchedule, aThread } from "../test/support/documents.ts";
import { measureQueues } from "./measure-queues.ts";
import { newRecording, type RecordedThread } from "./recordings/begin-recording.ts";
import { becomeReady, endRun, remove } from "./recordings/moves.ts";
import { createRecordingStore, recordingIndexes } from "./recordings/recording-store.ts";
import { keyOfAgent } from "./store/agent-document.ts";
import { agentIndexes, createAgentStore } from "./store/agent-store.ts";
import { createHookDeliveryStore, hookDeliveryIndexes } from "./store/hook-delivery-store.ts";
import { keyOfRecording } from "./store/recording-document.ts";
import { createScheduleStore, scheduleIndexes } from "./store/schedule-store.ts";
import { createThreadStore } from "./store/thread-store.ts";
import { createWebhookStore, webhookIndexes } from "./store/webhook-store.ts";

const now = new Date("2026-11-22T12:00:00Z");
const later = new Date("2026-11-22T12:00:15Z");
const current = { threadId: "thr_1", runId: "run_1" };

async function measured() {
  const metrics = new CollectedMetrics("workforce");
  const { db } = await openTestStore({ onTestFinished });
  await ensureIndexes(db, [
    agentIndexes,
    recordingIndexes,
    scheduleIndexes,
    webhookIndexes,
    hookDeliveryIndexes,
  ]);
  const agents = createAgentStore(db, metrics);
  const recordings = createRecordingStore(db, metrics);
  const takeOvers = async (kind: string) =>
    (await metrics.read()).total("muster_lease_takeovers_total", { kind });
  const webhooks = createWebhookStore(db);
  const hookDeliveries = createHookDeliveryStore(db);
  const threads = createThreadStore(db);
  const schedules = createScheduleStore(db, createNotices({ newId: createIds(), clock: systemClock }));
  return { metrics, agents, recordings, threads, webhooks, hookDeliveries, schedules, takeOvers };
}

test("a run of a dead process counts as taken over; one that was handed over, or that stays, does not", async () => {
  const { agents, takeOvers } = await measured();
  const mine = { holder: "me", until: later };
  for (const [index, [until, isTaken, count]] of (
    [
      [new Date(0), true, 0],
      [later, false, 0],
      [new Date(now.getTime() - 1), true, 1],
    ] as const
  ).entries()) {
    const agent = anAgent({ _id: `agt_${index}`, current, lease: { holder: "other", until } });
    await agents.insert(agent);
    const taken = await agents.takeOver(keyOfAgent(agent), agent, mine, now);
    assert.equal(taken !== null, isTaken);
    assert.equal(await takeOvers("run"), count);
  }
});

test("recordings count once for each end, and when another recorder has to take them", async () => {
  const { metrics, recordings, takeOvers } = await measured();
  const thread = aThread({ runId: "run_1", recording: { id: "rec_1", status: "recording", startedAt: now } });
  const recording = newRecording(thread as RecordedThread, anAgent());
  const key = keyOfRecording(recording);
  await recordings.insert(recording);
  await recordings.move(key, endRun({ at: now, status: "completed" }, now));
  assert.notEqual(await recordings.claim({ recorder: "a", now, until: later }), null);
  assert.equal(await takeOvers("recording"), 0);
  const after = new Date(later.getTime() + 1);
  const claimed = await recordings.claim(
    { recorder: "b", now: after, until: new Date(after.getTime() + 1) },
    key,
  );
  assert.deepEqual(claimed, await recordings.find(key), "the claim returns what is stored");
  assert.equal(await takeOvers("recording"), 1);
  const video = { durationMs: 1, sizeBytes: 1, width: 1, height: 1 };
  for (let repeat = 0; repeat < 2; repeat++) {
    await recordings.move(key, becomeReady(2, video, after));
    await recordings.move(key, remove(["ready"], after));
  }
  const scraped = await metrics.read();
  for (const outcome of ["ready", "deleted"])
    assert.equal(scraped.total("muster_recordings_total", { outcome }), 1, outcome);
});

test("queues show the agents with work, the recordings that no process has, the commands without a place, the webhooks with events, the deliveries of hooks and the schedules that are due", async () => {
  const { metrics, agents, recordings, threads, webhooks, hookDeliveries, schedules } = await measured();
  const commands = { waiting: 3, oldestMs: 1_500 };
  const clock = new ManualClock(now.getTime());
  onTestFinished(
    measureQueues({
      agents,
      recordings,
      threads,
      webhooks,
      hookDeliveries,
      schedules,
      computers: { commands, machines: { connected: 2 } },
      clock,
      metrics,
    }),
  );
  const depth = async (queue: string) => (await metrics.read()).total("muster_queue_depth", { queue });
  assert.equal(await depth("commands"), 3);
  assert.equal((await metrics.read()).total("muster_computers_connected"), 2);
  assert.equal((await metrics.read()).total("muster_queue_age_seconds", { queue: "commands" }), 1.5);
  assert.equal(await depth("run_slots"), 0);
  const lease = { holder: "other", until: later };
  const waiting = { queue: ["thr_1"], work: true };
  for (const [index, changed] of [
    {},
    waiting,
    { ...waiting, paused: true },
    { ...waiting, current, lease },
  ].entries())
    await agents.insert(anAgent({ _id: `agt_${index}`, ...changed }));
  assert.equal(await depth("run_slots"), 1);
  const thread = aThread({ runId: "run_1", recording: { id: "rec_1", status: "recording", startedAt: now } });
  const recording = newRecording(thread as RecordedThread, anAgent());
  await recordings.insert(recording);
  assert.equal(await depth("recordings"), 0);
  await recordings.move(keyOfRecording(recording), endRun({ at: now, status: "completed" }, now));
  assert.equal(await depth("recordings"), 1);
  const webhook = { _id: "whk_1", projectId: "prj_1", url: "https://hooks.example", events: [], secrets: [] };
  const state = { enabled: true, failures: 0, lease: null, epoch: 0, rev: 0, createdAt: now, updatedAt: now };
  await webhooks.insert({ ...webhook, ...state });
  assert.equal(await depth("webhooks"), 0);
  await webhooks.becomeDue("prj_1", ["whk_1"], now);
  assert.equal(await depth("webhooks"), 1);
  const ids = { _id: "hdl_1", projectId: "prj_1", agentId: "agt_1", hookId: "hok_1", identity: "1" };
  const arrived = { body: "{}", bodyStart: "{}", bodyLength: 2, lease: null, dueAt: now, createdAt: now };
  await hookDeliveries.insert({ ...ids, ...arrived, status: "accepted", expiresAt: later });
  assert.equal(await depth("hooks"), 1);
  await hookDeliveries.settle(ids, { status: "filtered" }, now);
  assert.equal(await depth("hooks"), 0);
  await schedules.insert(aSchedule({ nextAt: later, dueAt: later }));
  assert.equal(await depth("schedules"), 0);
  clock.advance(later.getTime() - now.getTime());
  assert.equal(await depth("schedules"), 1);
});
