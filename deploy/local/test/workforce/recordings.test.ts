import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClaimedRecording, TimelineEvent } from "@muster/proto/recordings";
import { Secret } from "@muster/service";
import { type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import { runs, says, startWorkforceWorld, type WorkforceWorld, type WorldOptions } from "./world.ts";

async function startRecordingWorld(t: TestScope, options: WorldOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), "muster-recordings-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const recordings = { directory, keys: [new Secret("k".repeat(64))], retentionDays: 30 };
  const world = await startWorkforceWorld(t, {
    ...options,
    workforce: { recordings, ...options.workforce },
  });
  return { world };
}

const video = { durationMs: 4_000n, sizeBytes: 1_000n, width: 1_280, height: 720 };

/** What a recorder does, step by step. */
function recorderOf(world: WorkforceWorld, { recordings } = world.first) {
  const call = () => world.asPlatform();
  const nameOf = ({ id, projectId, epoch }: ClaimedRecording) => ({ recordingId: id, projectId, epoch });
  return {
    claim: async (): Promise<ClaimedRecording | undefined> =>
      (await recordings.claimRecording({ recorder: "test" }, call())).recording,
    read: async (claimed: ClaimedRecording): Promise<TimelineEvent[]> => {
      const events: TimelineEvent[] = [];
      for await (const message of recordings.readTimeline(nameOf(claimed), call()))
        events.push(...message.events);
      return events;
    },
    renew: (claimed: ClaimedRecording) => recordings.renewRecording(nameOf(claimed), call()),
    finish: (claimed: ClaimedRecording) =>
      recordings.finishRecording(
        {
          ...nameOf(claimed),
          outcome: { case: "video", value: { $typeName: "muster.workforce.v1.RenderedVideo", ...video } },
        },
        call(),
      ),
    fail: (claimed: ClaimedRecording, error: string) =>
      recordings.finishRecording({ ...nameOf(claimed), outcome: { case: "error", value: error } }, call()),
    giveBack: (claimed: ClaimedRecording) =>
      recordings.finishRecording({ ...nameOf(claimed), outcome: { case: "released", value: true } }, call()),
    get: (recordingId: string) => recordings.getRecording({ recordingId }, call()),
  };
}

type Recorder = ReturnType<typeof recorderOf>;

async function claimed(recorder: Recorder): Promise<ClaimedRecording> {
  let found: ClaimedRecording | undefined;
  await until("a recording can be claimed", async () => {
    found = await recorder.claim();
    return found !== undefined;
  });
  assert.ok(found);
  return found;
}

const record = { record: true, capabilities: {} };

describe("a recorded run", () => {
  test("is read by a recorder as a timeline with times, messages and output, and its thread shows every status", async (t) => {
    const gate = Promise.withResolvers<void>();
    const { world } = await startRecordingWorld(t, {
      steps: [
        runs("echo hello; sleep 0.2; echo world"),
        { parts: [{ until: gate.promise }, { text: "Done." }] },
      ],
    });
    const lou = await world.hire();
    const threadId = await lou.start("Say hello", record);
    await world.provider.received(2);
    const { recording } = await lou.read(threadId);
    assert.deepEqual([recording?.status, recording?.visibility], ["recording", "private"]);
    gate.resolve();
    assert.equal((await lou.ended(threadId)).recording?.status, "processing");

    const recorder = recorderOf(world);
    const claim = await claimed(recorder);
    assert.deepEqual(
      [claim.id, claim.epoch, claim.attempt, claim.run?.agentName, claim.run?.task, claim.run?.status],
      [recording?.id, 1, 1, "Lou", "Say hello", "completed"],
    );
    const timeline = await recorder.read(claim);
    const times = timeline.map(({ atMs }) => Number(atMs));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    const runMs =
      Number(claim.run?.endTime?.seconds ?? 0n) * 1_000 - Number(claim.run?.startTime?.seconds ?? 0n) * 1_000;
    assert.ok(
      (times.at(-1) ?? 0) >= 200 && (times.at(-1) ?? 0) <= runMs + 1_500,
      `${times.at(-1)} of ${runMs}`,
    );
    const texts = timeline.map(({ json }) => JSON.parse(json));
    const message = texts.find(({ type }) => type === "user-message");
    assert.deepEqual([message?.text, message?.files], ["Say hello", []]);
    const output = texts.filter(({ type }) => type === "computer-output").map(({ text }) => text);
    assert.equal(output.join(""), "hello\nworld\n");
    const statuses = texts.filter(({ type }) => type === "thread-status").map(({ status }) => status);
    assert.deepEqual(statuses, ["running", "completed"]);
    assert.ok(texts.some(({ type, delta }) => type === "text-delta" && delta === "Done."));
    assert.deepEqual(
      timeline.map(({ type }) => type),
      texts.map(({ type }) => type),
    );

    await recorder.finish(claim);
    assert.equal((await lou.read(threadId)).recording?.status, "ready");
    const { status, epoch, video: stored, threadId: of } = await recorder.get(claim.id);
    assert.deepEqual([status, epoch, stored?.sizeBytes, of], ["ready", 1, 1_000n, threadId]);
    // Repeating it succeeds, and nothing is left to do.
    await recorder.finish(claim);
    assert.equal(await recorder.claim(), undefined);
  });

  test("is claimed again at once when its recorder gives it back, which counts as no attempt", async (t) => {
    const { world } = await startRecordingWorld(t, { steps: [says("Done.")] });
    const lou = await world.hire();
    await lou.ended(await lou.start("Say hello", record));
    const recorder = recorderOf(world);
    for (let epoch = 1; epoch <= 7; epoch += 1) {
      const claim = await claimed(recorder);
      assert.deepEqual([claim.epoch, claim.attempt], [epoch, 1]);
      await recorder.giveBack(claim);
      // Repeating it succeeds.
      await recorder.giveBack(claim);
    }
    const last = await claimed(recorder);
    assert.deepEqual([last.epoch, last.attempt], [8, 1]);
    await recorder.fail(last, "It does not work.");
    assert.equal((await recorder.get(last.id)).status, "processing");
  });

  test("without `record`, nothing is kept and no recording exists", async (t) => {
    const { world } = await startRecordingWorld(t, { steps: [runs("echo hello"), says("Done.")] });
    const lou = await world.hire();
    const threadId = await lou.start("Say hello", { recordVisibility: "public", capabilities: {} });
    const { recording } = await lou.ended(threadId);
    assert.equal(recording, undefined);
    assert.equal(await world.db.collection("recordings").countDocuments(), 0);
    assert.equal(
      await world.db.collection("thread_events").countDocuments({ recorded: { $exists: true } }),
      0,
    );
  });
});
