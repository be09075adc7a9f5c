import assert from "node:assert/strict";
import { silentLogger } from "@muster/service";
import { test } from "vitest";
import { anAgent, aThread } from "../../test/support/documents.ts";
import { MemoryStore } from "../../test/support/memory-db.ts";
import type { WorkforceContext } from "../context.ts";
import { createAgentStore } from "../store/agent-store.ts";
import { keyOfRecording, type RecordingDocument } from "../store/recording-document.ts";
import { createThreadStore } from "../store/thread-store.ts";
import { newRecording, type RecordedThread } from "./begin-recording.ts";
import { endRecording } from "./end-recording.ts";
import { finishRecording } from "./finish-recording.ts";
import { createRecordingStore } from "./recording-store.ts";
import { removeRecording } from "./remove-recording.ts";
import { sweepRecordings } from "./sweep-recordings.ts";

const startMs = Date.parse("2026-11-22T12:00:00Z");
const leaseMs = 15_000;
const dayMs = 24 * 3_600_000;

const endedThread = aThread({
  ...{ accepted: true, status: "completed", runId: "run_1", epoch: 1, turn: 1, inbox: [] },
  recording: { id: "rec_1", status: "recording", startedAt: new Date(startMs - 5_000) },
  completedAt: new Date(startMs),
}) as RecordedThread;
const begun = newRecording(endedThread, anAgent());
const key = keyOfRecording(begun);

async function world() {
  const clock = { nowMs: startMs, now: () => clock.nowMs };
  const storage = { isAway: false };
  const db = new MemoryStore(() => undefined).connect(async (effect) => effect());
  // Only the parts that these functions use.
  const context = {
    recordings: createRecordingStore(db),
    threads: createThreadStore(db),
    agents: createAgentStore(db),
    threadEvents: { releaseTimeline: async () => undefined, usedIn: async () => null },
    threadLogs: { timings: { keepEndedMs: 900_000 } },
    recordingFiles: {
      retentionDays: 30,
      storage: {
        remove: async () => {
          if (storage.isAway) throw new Error("the volume is away");
        },
      },
    },
    wakeUps: { threadChanged: () => undefined, recordingEnded: () => undefined },
    timings: { recorderLeaseMs: leaseMs },
    ...{ clock, log: silentLogger },
  } as unknown as WorkforceContext;
  await context.agents.insert(anAgent());
  await context.threads.insert(endedThread);
  await context.recordings.insert(begun);
  return { context, clock, storage };
}

async function claimed({ recordings, clock }: WorkforceContext): Promise<RecordingDocument | null> {
  const [now, until] = [new Date(clock.now()), new Date(clock.now() + leaseMs)];
  return await recordings.claim({ recorder: "r", now, until });
}

const video = { durationMs: 1, sizeBytes: 1, width: 1, height: 1 };

test("a sweep reaches a run that has ended even while the files of many deleted recordings cannot be removed", async () => {
  const { context, clock, storage } = await world();
  const { recordings } = context;
  storage.isAway = true;
  for (let index = 0; index < 120; index++) {
    const old: RecordingDocument = { ...begun, _id: `rec_old_${index}`, status: "deleted" };
    await recordings.insert({ ...old, lookAt: new Date(startMs - dayMs) });
  }
  clock.nowMs += 60_000;
  for (let round = 0; round < 10; round++) {
    await sweepRecordings(context);
    clock.nowMs += 2_000;
  }
  assert.equal((await recordings.find(key))?.status, "processing");
  storage.isAway = false;
  clock.nowMs += 60_000;
  for (let round = 0; round < 3; round++) await sweepRecordings(context);
  const left = await recordings.toLookAt(new Date(clock.nowMs), 1_000);
  assert.deepEqual(
    left.filter(({ status }) => status === "deleted"),
    [],
    "the files of some recordings stay",
  );
});

test("a recording that its recorders always give back fails in the end, and says why", async () => {
  const { context, clock } = await world();
  await endRecording(context, begun, { at: new Date(startMs), status: "completed" });
  let claims = 0;
  for (let round = 0; round < 1_000; round++) {
    const recording = await claimed(context);
    if (recording === null) break;
    claims += 1;
    await finishRecording(context, key, recording.epoch, { released: true });
    clock.nowMs += 1_000;
  }
  assert.ok(claims >= 50 && claims < 60, `${claims} claims`);
  clock.nowMs += 600_000;
  await sweepRecordings(context);
  const { status, error } = (await recordingIn(context)) ?? {};
  assert.equal(status, "failed");
  assert.match(error ?? "", /always stopped/);
});

test("a few recorders that stop cost a recording no attempt", async () => {
  const { context } = await world();
  await endRecording(context, begun, { at: new Date(startMs), status: "completed" });
  for (let round = 0; round < 20; round++) {
    const recording = await claimed(context);
    assert.equal(recording?.attempts, 1);
    await finishRecording(context, key, recording.epoch, { released: true });
  }
});

test("recorders that lose their lease and live cost a recording no attempt, and five that die fail it", async () => {
  const { context, clock } = await world();
  await endRecording(context, begun, { at: new Date(startMs), status: "completed" });
  for (let round = 0; round < 10; round++) {
    const lost = await claimed(context);
    clock.nowMs += leaseMs;
    const next = await claimed(context);
    assert.ok(lost && next);
    // Repeated, as after a lost response.
    for (let n = 0; n < 2; n++) await finishRecording(context, key, lost.epoch, { released: true });
    assert.equal((await recordingIn(context))?.attempts, 1);
    await finishRecording(context, key, next.epoch, { released: true });
  }
  for (let round = 0; round < 5; round++) {
    assert.ok(await claimed(context));
    clock.nowMs += leaseMs;
    await sweepRecordings(context);
  }
  const { status, error } = (await recordingIn(context)) ?? {};
  assert.equal(status, "failed");
  assert.match(error ?? "", /stopped unexpectedly, five times/);
});

test("a full disk of recorders costs a recording no attempt, however long it takes", async () => {
  const { context, clock } = await world();
  await endRecording(context, begun, { at: new Date(startMs), status: "completed" });
  for (let round = 0; round < 100; round++) {
    const recording = await claimed(context);
    assert.equal(recording?.attempts, 1);
    await finishRecording(context, key, recording.epoch, { diskFull: true });
    assert.equal(await claimed(context), null, "it is tried again at once");
    clock.nowMs += 60_000;
  }
});

test("a deletion does not change when the recording of a thread was final", async () => {
  const { context, clock } = await world();
  await endRecording(context, begun, { at: new Date(startMs), status: "completed" });
  const { epoch = 0 } = (await claimed(context)) ?? {};
  await finishRecording(context, key, epoch, { video });
  const readyAt = new Date(clock.nowMs);
  clock.nowMs += 3 * dayMs;
  const ready = await recordingIn(context);
  assert.ok(ready);
  await removeRecording(context, ready, ["ready"]);
  const thread = await context.threads.find({ ...endedThread, threadId: endedThread._id });
  assert.equal(thread?.recording?.status, "deleted");
  assert.deepEqual(thread?.recording?.endedAt, readyAt);
});

function recordingIn({ recordings }: WorkforceContext): Promise<RecordingDocument | null> {
  return recordings.find(key);
}
