import assert from "node:assert/strict";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import { describe, test } from "vitest";
import { anAgent, aThread } from "../../test/support/documents.ts";
import type { RecordingDocument } from "../store/recording-document.ts";
import { recordingStatuses, recordingTransitions } from "../store/recording-transitions.ts";
import { newRecording, type RecordedThread } from "./begin-recording.ts";
import { maxAttempts } from "./moves.ts";
import { createRecordingStore, recordingIndexes } from "./recording-store.ts";

const now = new Date("2026-11-22T12:00:00Z");
const later = new Date("2026-11-22T12:00:15Z");
const template = newRecording(
  aThread({
    runId: "run_1",
    recording: { id: "rec_1", status: "recording", startedAt: now },
  }) as RecordedThread,
  anAgent(),
);

describe("recordings that wait", () => {
  test("are claimed by an index, project by project, each once", async (t) => {
    const { db } = await openTestStore(t);
    await ensureIndexes(db, [recordingIndexes]);
    const store = createRecordingStore(db);
    const { lookAt: _, ...unseen } = template;
    for (let index = 0; index < 20; index++)
      await store.insert({ ...unseen, _id: `rec_${index}`, status: "ready" });
    const waiting = [3, 1, 2].map((age) => ({
      ...{ ...unseen, _id: `rec_w${age}`, projectId: `prj_0${age}`, status: "processing" as const },
      claimableAt: new Date(now.getTime() - age * 1_000),
    }));
    for (const one of waiting) await store.insert(one);
    await store.insert({
      ...unseen,
      _id: "rec_used",
      status: "processing",
      claimableAt: now,
      attempts: maxAttempts,
    });
    await store.insert({ ...unseen, _id: "rec_later", status: "processing", claimableAt: later });
    const plan = await db
      .collection<RecordingDocument>("recordings")
      .find({
        projectId: { $gt: "" },
        claimableAt: { $lte: now },
        attempts: { $lt: maxAttempts },
        status: { $in: ["processing"] },
      })
      .sort({ projectId: 1, claimableAt: 1 })
      .limit(1)
      .explain();
    assert.equal(plan.executionStats.totalDocsExamined, 1);
    const claim = async () => (await store.claim({ recorder: "r", now, until: later }))?._id;
    assert.equal(await claim(), "rec_w1");
    // Commands that are sent at once arrive over several connections, in any order.
    const claimed = await Promise.all([claim(), claim(), claim(), claim()]);
    assert.deepEqual(claimed.filter((id) => id !== undefined).sort(), ["rec_w2", "rec_w3"]);
  });

  test("are given out by turns: a project waits for one recording of each other project, its oldest first", async (t) => {
    const { db } = await openTestStore(t);
    const store = createRecordingStore(db);
    const insert = (projectId: string, age: number) =>
      store.insert({
        ...{ ...template, _id: `${projectId}_${age}`, projectId, status: "processing" as const },
        claimableAt: new Date(now.getTime() - age * 1_000),
      });
    for (let age = 9; age >= 5; age--) await insert("flood", age);
    for (const project of ["a", "z"]) for (const age of [1, 2]) await insert(project, age);
    const claimed: unknown[] = [];
    for (let one = 0; one < 9; one++)
      claimed.push((await store.claim({ recorder: "r", now, until: later }))?._id);
    assert.deepEqual(claimed, [
      ...["a_2", "flood_9", "z_2", "a_1", "flood_8", "z_1"],
      ...["flood_7", "flood_6", "flood_5"],
    ]);
  });
});

describe("the states of a recording", () => {
  test("lead from `requested` to a final one, and from a final one only to `deleted`", () => {
    const steps = recordingStatuses.flatMap((from) =>
      recordingTransitions[from].map((to) => `${from} ${to}`),
    );
    assert.deepEqual(steps, [
      ...["requested recording", "requested unavailable", "recording processing", "recording deleted"],
      ...["processing ready", "processing failed", "processing deleted", "ready deleted", "failed deleted"],
    ]);
  });
});
