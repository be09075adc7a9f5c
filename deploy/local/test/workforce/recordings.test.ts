import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClaimedRecording, TimelineEvent } from "@muster/proto/recordings";
import { Reason, readRpcError } from "@muster/rpc";
import { Secret } from "@muster/service";
import { createDiskStorage } from "@muster/storage/recordings";
import { type TestScope, until } from "@muster/testing";
import { describe, test } from "vitest";
import {
  runs,
  says,
  startWorkforceWorld,
  type WorkforceWorld,
  type WorldOptions,
} from "../support/workforce/world.ts";

async function startRecordingWorld(t: TestScope, options: WorldOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), "muster-recordings-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const recordings = { directory, keys: [new Secret("k".repeat(64))], retentionDays: 30 };
  const world = await startWorkforceWorld(t, {
    ...options,
    workforce: { recordings, ...options.workforce },
  });
  const file = join(directory, "video");
  await writeFile(file, "video");
  const storage = createDiskStorage(directory);
  return { world, storage: { ...storage, paths: { video: file, chapters: file, transcript: file } } };
}

const video = { durationMs: 4_000n, sizeBytes: 1_000n, width: 1_280, height: 720 };

/** The steps of a recorder, one by one. */
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
      Number(claim.run?.endedAt?.seconds ?? 0n) * 1_000 - Number(claim.run?.startedAt?.seconds ?? 0n) * 1_000;
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

  test("is one recording, also if it waits for a decision meanwhile", async (t) => {
    const { world } = await startRecordingWorld(t, { steps: [runs("echo hello"), says("Done.")] });
    const { first, as, asApprover, sessions, db } = world;
    const lou = await world.hire();
    await first.client.updateAgent({ agentId: lou.agentId, approvals: { rules: { shell: "ask" } } }, as());
    const threadId = await lou.start("Say hello", record);
    await until("the thread waits", async () => (await lou.read(threadId)).waitingFor !== undefined);
    await until("the agent is idle", async () => (await lou.status())?.status === "idle");
    const recordings = db.collection<{ _id: string; status: string; lookAt: Date }>("recordings");
    // The sweep checks the run now.
    const due = new Date(0);
    await recordings.updateMany({}, { $set: { lookAt: due } });
    await until("the run was checked", async () => (await recordings.findOne({ lookAt: due })) === null);
    const { recording, waitingFor } = await lou.read(threadId);
    assert.equal(recording?.status, "recording");
    await sessions.decideApproval(
      { id: waitingFor?.approvalIds[0] ?? "", decision: "approve" },
      asApprover(),
    );
    assert.equal((await lou.ended(threadId)).recording?.id, recording?.id);
    const recorder = recorderOf(world);
    const claim = await claimed(recorder);
    assert.deepEqual([claim.id, claim.run?.status], [recording?.id, "completed"]);
    const events = (await recorder.read(claim)).map(({ json }) => JSON.parse(json));
    const statuses = events.flatMap(({ type, status }) => (type === "thread-status" ? [status] : []));
    assert.deepEqual(statuses, ["running", "queued", "running", "completed"]);
    assert.equal(events.filter(({ type }) => type === "user-message").length, 1);
    assert.ok(events.some(({ type, text }) => type === "computer-output" && text === "hello\n"));
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

/** The texts of the messages that began turns, and the events other than deltas. */
async function told(recorder: Recorder, claim: ClaimedRecording) {
  const events = (await recorder.read(claim)).map(({ json }) => JSON.parse(json));
  return {
    messages: events.filter(({ type }) => type === "user-message").map(({ text }) => text),
    texts: events.filter(({ type }) => type === "text-delta").map(({ delta }) => delta),
    statuses: events.filter(({ type }) => type === "thread-status").map(({ status }) => status),
  };
}

describe("the recordings of a thread", () => {
  test("a follow-up into the run belongs to its recording, and one after the end begins another", async (t) => {
    const gate = Promise.withResolvers<void>();
    const { world } = await startRecordingWorld(t, {
      steps: [{ parts: [{ until: gate.promise }, { text: "One." }] }, says("Two."), says("Three.")],
    });
    const recorder = recorderOf(world);
    const lou = await world.hire();
    const threadId = await lou.start("first", { ...record, recordVisibility: "public" });
    await world.provider.received(1);
    await lou.followUp(threadId, "second");
    gate.resolve();
    const before = (await lou.ended(threadId)).recording;
    assert.deepEqual([before?.status, before?.visibility], ["processing", "public"]);
    await lou.followUp(threadId, "third");
    const after = (await lou.ended(threadId)).recording;
    assert.notEqual(after?.id, before?.id);

    const [one, two] = [await claimed(recorder), await claimed(recorder)];
    assert.deepEqual(
      [one.id, one.run?.task, two.id, two.run?.task],
      [before?.id, "first", after?.id, "third"],
    );
    assert.deepEqual(await told(recorder, one), {
      ...{ messages: ["first", "second"], texts: ["One.", "Two."], statuses: ["running", "completed"] },
    });
    const latest = await told(recorder, two);
    assert.deepEqual([latest.messages, latest.texts], [["third"], ["Three."]]);
    assert.deepEqual([one.run?.usage?.inputTokens, two.run?.usage?.inputTokens], [20n, 10n]);

    // The thread shows the latest one, whatever becomes of the other.
    await recorder.finish(one);
    assert.equal((await lou.read(threadId)).recording?.status, "processing");
    await recorder.finish(two);
    assert.equal((await lou.read(threadId)).recording?.status, "ready");
  });

  test("a run that never began has none: it was cancelled in the queue, or a limit was reached", async (t) => {
    const gate = Promise.withResolvers<void>();
    const { world } = await startRecordingWorld(t, {
      steps: [{ parts: [{ until: gate.promise }, { text: "Done." }] }],
    });
    const lou = await world.hire();
    const running = await lou.start("Hold the agent");
    await world.provider.received(1);
    const queued = await lou.start("Wait", record);
    assert.equal((await lou.read(queued)).recording?.status, "requested");
    await world.first.client.withdrawThread(
      { agentId: lou.agentId, threadId: queued },
      world.as(lou.agentId),
    );
    const { recording } = await lou.read(queued);
    assert.deepEqual([recording?.status, recording?.error !== undefined], ["unavailable", true]);
    gate.resolve();
    await lou.ended(running);
    await lou.limit("0");
    const blocked = await lou.read(await lou.start("Work", record));
    assert.deepEqual([blocked.status, blocked.recording?.status], ["blocked", "unavailable"]);
    assert.equal(await recorderOf(world).claim(), undefined);
  });

  test("a cancelled run is recorded up to there", async (t) => {
    const { world } = await startRecordingWorld(t, { steps: [runs("echo begun; sleep 600")] });
    const lou = await world.hire();
    const threadId = await lou.start("Sleep", record);
    await until("the command runs", async () => (await world.computerLog(lou.agentId)).length > 0);
    await lou.cancel(threadId);
    assert.equal((await lou.read(threadId)).recording?.status, "processing");
    const recorder = recorderOf(world);
    const claim = await claimed(recorder);
    assert.equal(claim.run?.status, "cancelled");
    assert.deepEqual((await told(recorder, claim)).statuses, ["running", "cancelled"]);
  });

  test("waiting for the thread wakes when its recording is final, and its events end only then", async (t) => {
    const { world } = await startRecordingWorld(t, { steps: [says("Done.")] });
    const lou = await world.hire();
    const { agentId } = lou;
    const threadId = await lou.start("Work", record);
    const reading = lou.events(threadId);
    let hasEnded = false;
    void reading.then(() => {
      hasEnded = true;
    });
    await lou.ended(threadId);
    const recorder = recorderOf(world);
    const claim = await claimed(recorder);
    const { tag } = await world.first.client.getThread({ agentId, threadId }, world.as(agentId));
    const wait = { agentId, threadId, knownTag: tag, waitSeconds: 30 };
    const waiting = world.first.client.getThread(wait, world.as(agentId));
    assert.equal(hasEnded, false);
    await recorder.finish(claim);
    const { thread, tag: next } = await waiting;
    assert.deepEqual([thread?.recording?.status, next === tag], ["ready", false]);
    const events = await reading;
    assert.equal(events.at(-1)?.json, '{"type":"thread-status","status":"completed"}');
    // Everything is final: no caller waits.
    const last = await world.first.client.getThread({ ...wait, knownTag: next }, world.as(agentId));
    assert.equal(last.tag, next);
  });

  test("of two recorders, only the one with the latest claim can read and finish", async (t) => {
    const { world } = await startRecordingWorld(t, {
      steps: [says("Done.")],
      workforce: { timings: { recorderLeaseMs: 50 } },
    });
    const lou = await world.hire();
    await lou.ended(await lou.start("Work", record));
    const recorder = recorderOf(world);
    const slow = await claimed(recorder);
    const fast = await claimed(recorder);
    assert.deepEqual([fast.id, fast.epoch], [slow.id, 2]);
    const late = [
      recorder.renew(slow),
      recorder.read(slow),
      recorder.finish(slow),
      recorder.fail(slow, "no"),
    ];
    for (const reason of await Promise.all(late.map(failureOf))) assert.equal(reason, Reason.RECORDING_LOST);
    await recorder.finish(fast);
    assert.equal((await recorder.get(fast.id)).epoch, 2);
    const over = [recorder.renew(fast), recorder.read(fast), recorder.fail(fast, "no")];
    for (const reason of await Promise.all(over.map(failureOf))) assert.equal(reason, Reason.RECORDING_LOST);
  });

  test("the agent's key deletes them, and then nothing is left of them but their state", async (t) => {
    const { world, storage } = await startRecordingWorld(t, { steps: [says("Done."), says("Again.")] });
    const lou = await world.hire();
    const threadId = await lou.start("Work", record);
    await lou.ended(threadId);
    const recorder = recorderOf(world);
    const claim = await claimed(recorder);
    const key = { projectId: claim.projectId, recordingId: claim.id, epoch: claim.epoch };
    await storage.put(key, storage.paths);
    await recorder.finish(claim);
    const { client, recordings } = world.first;
    const name = { agentId: lou.agentId, threadId };
    const other = await world.hire();
    const refused = [world.as(other.agentId), world.asPlatform()].map((as) =>
      recordings.deleteRecordings(name, as),
    );
    for (const reason of await Promise.all(refused.map(failureOf))) assert.equal(reason, Reason.FORBIDDEN);
    await recordings.deleteRecordings(name, world.as(lou.agentId));
    await recordings.deleteRecordings(name, world.as());
    const { recording } = await lou.read(threadId);
    assert.deepEqual([recording?.status, recording?.error], ["unavailable", "The recording was deleted."]);
    const { status, run, video: stored } = await recorder.get(claim.id);
    assert.deepEqual([status, run, stored], ["deleted", undefined, undefined]);
    assert.equal(await storage.open(key, "video.webm"), undefined);
    // A follow-up is recorded again, and the removal of the agent removes that recording, too.
    await lou.followUp(threadId, "Again");
    await lou.ended(threadId);
    const next = await claimed(recorder);
    await client.deleteAgent({ agentId: lou.agentId }, world.as());
    await until("the recording is gone", async () => (await recorder.get(next.id)).status === "deleted");
    assert.equal(await failureOf(recorder.finish(next)), Reason.RECORDING_LOST);
  });

  test("only the platform itself claims, reads and finds them", async (t) => {
    const { world } = await startRecordingWorld(t);
    const lou = await world.hire();
    const { recordings } = world.first;
    const name = { recordingId: "rec_1", projectId: "default", epoch: 1 };
    for (const as of [world.as(), world.as(lou.agentId)]) {
      const calls = [
        recordings.claimRecording({ recorder: "r" }, as),
        recordings.renewRecording(name, as),
        recordings.finishRecording({ ...name, outcome: { case: "error", value: "no" } }, as),
        recordings.getRecording(name, as),
        (async () => {
          for await (const _ of recordings.readTimeline(name, as)) assert.fail();
        })(),
      ];
      for (const reason of await Promise.all(calls.map(failureOf))) assert.equal(reason, Reason.FORBIDDEN);
    }
    assert.equal(await failureOf(recorderOf(world).get("rec_1")), Reason.NOT_FOUND);
    assert.equal(await failureOf(recorderOf(world).get("../rec")), Reason.NOT_FOUND);
  });
});

describe("a recording survives its processes", () => {
  test("a run that changes hands continues the same timeline, without a gap and with nothing twice", async (t) => {
    const gate = Promise.withResolvers<void>();
    const { world } = await startRecordingWorld(t, {
      steps: [
        runs("echo one"),
        { parts: [{ text: "Half" }, { until: gate.promise }, { text: " and half." }] },
      ],
      workforce: { timings: { leaseMs: 600_000, pollEveryMs: 600_000 } },
    });
    const lou = await world.hire();
    const threadId = await lou.start("Work", record);
    await world.provider.received(2);
    const second = await world.addWorkforce();
    await world.first.stop();
    gate.resolve();
    await lou.through(second).ended(threadId);
    const recorder = recorderOf(world, second);
    const claim = await claimed(recorder);
    const { messages, texts } = await told(recorder, claim);
    assert.deepEqual([messages, texts.join("")], [["Work"], "Half and half."]);
    const timeline = await recorder.read(claim);
    const times = timeline.map(({ atMs }) => Number(atMs));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.equal(timeline.filter(({ type }) => type === "computer-output").length, 1);
    await second.stop();
  });

  test("a process that dies after it has ended the thread leaves the recording to the one that takes the run over", async (t) => {
    const { world } = await startRecordingWorld(t, { steps: [says("Done.")] });
    const lou = await world.hire();
    const threadId = await lou.start("Work", record);
    await lou.ended(threadId);
    const recorder = recorderOf(world);
    const { id } = await claimed(recorder);
    // The state that the process would have left: the last event is not stored, either, and the sweep has no reason to
    // look yet.
    const { db } = world;
    const thread = await db.collection<{ _id: string; runId: string }>("threads").findOne({ _id: threadId });
    await db.collection("thread_events").deleteOne({ threadId, expiresAt: null, status: "completed" });
    await db.collection<{ _id: string }>("recordings").updateOne(
      { _id: id },
      {
        $set: { status: "recording", lookAt: new Date("2099-01-01"), lease: null },
        $unset: { end: "", claimableAt: "" },
      },
    );
    const current = { threadId, runId: thread?.runId };
    const lease = { holder: "run_dead", until: new Date(0) };
    await db
      .collection<{ _id: string }>("agents")
      .updateOne({ _id: lou.agentId }, { $set: { current, lease, work: true } });
    const claim = await claimed(recorder);
    assert.deepEqual([claim.id, claim.run?.status], [id, "completed"]);
    assert.deepEqual(await told(recorder, claim), {
      ...{ messages: ["Work"], texts: ["Done."], statuses: ["running", "completed"] },
    });
  });

  test("the sweep ends recordings whose run has ended unnoticed, and announces those that no recorder has claimed", async (t) => {
    const { world } = await startRecordingWorld(t, { steps: [says("Done.")] });
    const lou = await world.hire();
    const threadId = await lou.start("Work", record);
    await lou.ended(threadId);
    const recorder = recorderOf(world);
    const { id } = await claimed(recorder);
    // The state that a process would have left that died before it could end the recording.
    const collection = world.db.collection<{ _id: string }>("recordings");
    await collection.updateOne(
      { _id: id },
      {
        $set: { status: "recording", lookAt: new Date(0), epoch: 0, lease: null },
        $unset: { end: "", claimableAt: "" },
      },
    );
    const announced = Promise.withResolvers<string>();
    await world.bus.subscribe("workforce.recording", { broadcast: true }, async ({ recordingId }) =>
      announced.resolve(recordingId),
    );
    const claim = await claimed(recorder);
    assert.deepEqual([claim.id, claim.run?.status, await announced.promise], [id, "completed", id]);
    await recorder.finish(claim);
    assert.equal((await lou.read(threadId)).recording?.status, "ready");
  });
});

async function failureOf(call: Promise<unknown>): Promise<Reason> {
  try {
    await call;
  } catch (error) {
    return readRpcError(error).reason;
  }
  throw new Error("The call was not refused");
}
