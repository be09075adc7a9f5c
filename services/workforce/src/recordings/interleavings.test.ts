import assert from "node:assert/strict";
import { Reason, readRpcError } from "@muster/rpc";
import { silentLogger } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { anAgent, aThread } from "../../test/support/documents.ts";
import { MemoryStore, type Step } from "../../test/support/memory-db.ts";
import type { WorkforceContext } from "../context.ts";
import { createAgentStore } from "../store/agent-store.ts";
import { keyOfRecording, type RecordingDocument } from "../store/recording-document.ts";
import { isFinalRecording, recordingTransitions } from "../store/recording-transitions.ts";
import { keyOfThread, type ThreadDocument } from "../store/thread-document.ts";
import { shownRecording } from "../store/thread-recording.ts";
import { createThreadStore } from "../store/thread-store.ts";
import { newRecording, type RecordedThread } from "./begin-recording.ts";
import { deleteRecordings } from "./delete-recordings.ts";
import { endRecording } from "./end-recording.ts";
import { finishRecording } from "./finish-recording.ts";
import { maxAttempts, renew } from "./moves.ts";
import { createRecordingStore } from "./recording-store.ts";
import { sweepRecordings } from "./sweep-recordings.ts";

// The real functions and stores over a database in memory. fast-check's scheduler decides which process's command is next,
// and prints the seed and the order of a run that fails.

class Died extends Error {}

type Action =
  /** The process that ends the run. */
  | { type: "end" }
  | {
      type: "record";
      outcome: "video" | "error" | "released";
      renews: boolean;
      isSlow: boolean;
      repeats: boolean;
    }
  | { type: "sweep" }
  | { type: "delete" };

interface Process {
  action: Action;
  /** It dies at this command, before or after its effect. */
  death?: { command: number; isBefore: boolean } | undefined;
}

const startMs = Date.parse("2026-11-22T12:00:00Z");
const leaseMs = 15_000;
const retentionMs = 24 * 3_600_000;

const endedThread = aThread({
  ...{ accepted: true, status: "completed", runId: "run_1", epoch: 1, turn: 1, inbox: [] },
  recording: { id: "rec_1", status: "recording", startedAt: new Date(startMs - 5_000) },
  completedAt: new Date(startMs),
}) as RecordedThread;
const begun = newRecording(endedThread, anAgent());
const key = keyOfRecording(begun);
const noPaths = { video: "", chapters: "", transcript: "" };

class World {
  readonly #turn: () => Promise<unknown>;
  readonly #store = new MemoryStore((collection, before, after) => this.#note(collection, before, after));
  nowMs = startMs;
  recording = begun;
  thread: ThreadDocument = endedThread;
  /** The epochs of attempts whose videos were accepted. */
  readonly accepted: number[] = [];
  /** Epochs whose files are stored. */
  readonly files = new Set<number>();
  isReleased = false;

  constructor(turn: () => Promise<unknown>) {
    this.#turn = turn;
  }

  #note(collection: string, before: unknown, after: unknown): void {
    if (collection === "threads") this.thread = after as ThreadDocument;
    if (collection !== "recordings") return;
    const [was, is] = [before as RecordingDocument | undefined, after as RecordingDocument];
    this.recording = is;
    if (was === undefined) return;
    if (was.status !== is.status)
      assert.ok(
        recordingTransitions[was.status].some((next) => next === is.status),
        `${was.status} became ${is.status}`,
      );
    assert.ok(is.epoch >= was.epoch && is.attempts <= maxAttempts, `epoch ${is.epoch}`);
    const given = is.givenBack ?? [];
    assert.equal(is.attempts, is.epoch - given.length, "a claim counts twice, or was given back twice");
    assert.equal(new Set(given).size, given.length);
    if (is.epoch > was.epoch) {
      const isFree = was.lease === null || was.lease.until.getTime() <= this.nowMs;
      assert.ok(isFree, "a recording was claimed under the lease of another recorder");
    }
    if (is.status === "ready" && was.status !== "ready") this.accepted.push(is.epoch);
    if (is.video) assert.equal(is.video.sizeBytes, is.epoch, "the video of another attempt was accepted");
    assert.equal(is.claimableAt !== undefined, is.status === "processing", `${is.status} can be claimed`);
    if (isFinalRecording(was.status)) assert.equal(is.epoch, was.epoch, "a final recording was claimed");
  }

  #release(): void {
    this.isReleased = true;
  }

  context(death?: Process["death"]): WorkforceContext {
    let command = -1;
    const step: Step = async (effect) => {
      command += 1;
      assert.ok(command < 400, "a process never ends");
      const dies = command === death?.command;
      await this.#turn();
      if (dies && death?.isBefore) throw new Died();
      const value = effect();
      if (dies) throw new Died();
      return value;
    };
    const db = this.#store.connect(step);
    const context = {
      recordings: createRecordingStore(db),
      threads: createThreadStore(db),
      agents: createAgentStore(db),
      threadEvents: {
        releaseTimeline: () => step(() => this.#release()),
        usedIn: async () => null,
      },
      threadLogs: { timings: { keepEndedMs: 900_000 } },
      recordingFiles: {
        retentionDays: 1,
        storage: {
          put: ({ epoch }: { epoch: number }) => step(() => void this.files.add(epoch)),
          remove: () => step(() => this.files.clear()),
        },
      },
      wakeUps: { threadChanged: () => undefined, recordingEnded: () => undefined },
      clock: { now: () => this.nowMs },
      timings: { recorderLeaseMs: leaseMs, recordingRetryMs: 2_000 },
      log: silentLogger,
    };
    // Only the parts that these functions use.
    return context as unknown as WorkforceContext;
  }

  async act({ action, death }: Process): Promise<void> {
    const context = this.context(death);
    // Each begins at a time of its own.
    await this.#turn();
    switch (action.type) {
      case "end":
        return await endRecording(context, begun, { at: new Date(startMs), status: "completed" });
      case "sweep":
        return await sweepRecordings(context);
      case "delete":
        return await deleteRecordings(context, keyOfThread(endedThread));
      case "record":
        return await this.record(context, action);
    }
  }

  /** The steps of a recorder. */
  async record(
    context: WorkforceContext,
    { outcome, renews, isSlow, repeats }: Extract<Action, { type: "record" }>,
  ): Promise<void> {
    const { recordings, recordingFiles } = context;
    const until = () => new Date(this.nowMs + leaseMs);
    const claimed = await recordings.claim({ recorder: "r", now: new Date(this.nowMs), until: until() });
    if (claimed === null) return;
    const { epoch } = claimed;
    if (isSlow) this.nowMs += leaseMs + 1;
    if (renews && (await recordings.move(key, renew(epoch, until()))) === null) return;
    const made =
      outcome === "error"
        ? { error: "no" }
        : outcome === "released"
          ? ({ released: true } as const)
          : { video: { durationMs: 1, sizeBytes: epoch, width: 1, height: 1 } };
    if (outcome === "video") await recordingFiles?.storage.put({ ...key, epoch }, noPaths);
    try {
      await finishRecording(context, key, epoch, made);
      if (repeats) await finishRecording(context, key, epoch, made);
    } catch (error) {
      unlessLost(error);
      // The attempt is lost, so the recorder removes its files.
      this.files.delete(epoch);
      if (outcome === "video")
        await finishRecording(context, key, epoch, { released: true }).catch(unlessLost);
    }
  }

  /** The steps of the other processes about everything that is left. */
  async recover(): Promise<void> {
    const context = this.context();
    for (let round = 0; round < 30; round++) {
      await sweepRecordings(context);
      if (round > 10) {
        await this.record(context, {
          type: "record",
          outcome: "video",
          renews: false,
          isSlow: false,
          repeats: false,
        });
      }
      this.nowMs += 61_000;
    }
  }
}

function unlessLost(error: unknown): void {
  if (readRpcError(error).reason !== Reason.RECORDING_LOST) throw error;
}

const death = fc.option(fc.record({ command: fc.nat(8), isBefore: fc.boolean() }), {
  nil: undefined,
  freq: 2,
});
const recording: fc.Arbitrary<Action> = fc.record({
  ...{ type: fc.constant("record" as const), outcome: fc.constantFrom("video", "error", "released") },
  ...{ renews: fc.boolean(), isSlow: fc.boolean(), repeats: fc.boolean() },
});
const others: fc.Arbitrary<Action> = fc.constantFrom<Action>({ type: "end" }, { type: "sweep" });
const deletion: fc.Arbitrary<Action> = fc.constant({ type: "delete" });

const processes = (...actions: Array<fc.Arbitrary<Action>>) =>
  fc.array(fc.record({ action: fc.oneof(...actions), death }), { minLength: 2, maxLength: 8 });

async function setUp(world: World): Promise<WorkforceContext> {
  const context = world.context();
  await context.agents.insert(anAgent());
  await context.threads.insert(endedThread);
  await context.recordings.insert(begun);
  return context;
}

async function check(sent: readonly Process[], hasEnded: boolean, scheduler: fc.Scheduler): Promise<World> {
  let isQuiet = true;
  const world = new World(() => (isQuiet ? Promise.resolve() : scheduler.schedule(Promise.resolve())));
  await setUp(world);
  if (hasEnded) await world.act({ action: { type: "end" } });
  isQuiet = false;
  const outcomes = sent.map(async (process) => {
    await world.act(process).catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
    });
  });
  await scheduler.waitFor(Promise.all(outcomes));
  isQuiet = true;
  await world.recover();

  const { recording: left, thread } = world;
  assert.ok(["ready", "failed", "deleted"].includes(left.status), `it stays ${left.status}`);
  assert.equal(thread.recording?.status, left.status, "the thread does not know");
  assert.equal(shownRecording(thread)?.isFinal, true);
  assert.ok(world.isReleased, "the timeline stays");
  assert.ok(world.accepted.length <= 1, "two videos were accepted");
  if (left.status === "ready") assert.ok(world.files.has(left.epoch), "the accepted video has no file");
  if (left.status === "deleted") assert.equal(world.files.size, 0, "a file of a deleted recording stays");
  return world;
}

/** `npm run test:long` runs ten times as many cases. */
const runs = { numRuns: 200 * Number(process.env.LONG_RUN ?? 1) };

describe("in any order of the commands, whichever processes die at whichever", () => {
  test("a recording becomes ready once or fails, and its thread learns of it", async () => {
    const property = fc.asyncProperty(
      processes(recording, recording, others),
      fc.boolean(),
      fc.scheduler(),
      async (sent, hasEnded, scheduler) => {
        const { recording: left } = await check(sent, hasEnded, scheduler);
        assert.notEqual(left.status, "deleted");
      },
    );
    await fc.assert(property, runs);
  });

  test("a deleted recording leaves no file, whatever recorders do meanwhile", async () => {
    const property = fc.asyncProperty(
      processes(recording, others, deletion),
      fc.boolean(),
      fc.scheduler(),
      async (sent, hasEnded, scheduler) => void (await check(sent, hasEnded, scheduler)),
    );
    await fc.assert(property, runs);
  });

  test("after its retention, a ready recording is deleted with its files", async () => {
    const property = fc.asyncProperty(
      processes(recording, others),
      fc.scheduler(),
      async (sent, scheduler) => {
        const world = await check(sent, true, scheduler);
        world.nowMs += retentionMs + 1;
        await sweepRecordings(world.context());
        const { status, facts } = world.recording;
        if (status === "failed") return;
        assert.deepEqual([status, facts.task, world.files.size], ["deleted", "", 0]);
        const shown = shownRecording(world.thread);
        assert.deepEqual([shown?.status, shown?.error], ["unavailable", "The recording was deleted."]);
      },
    );
    await fc.assert(property, runs);
  });
});

test("the files that a slow recorder stores after two deletions are removed when its lease has ended", async () => {
  const world = new World(() => Promise.resolve());
  const context = await setUp(world);
  await world.act({ action: { type: "end" } });
  const until = new Date(world.nowMs + leaseMs);
  await context.recordings.claim({ recorder: "r", now: new Date(world.nowMs), until });
  await deleteRecordings(context, keyOfThread(endedThread));
  await deleteRecordings(context, keyOfThread(endedThread));
  await context.recordingFiles?.storage.put({ ...key, epoch: 1 }, noPaths);
  await world.recover();
  assert.equal(world.files.size, 0);
});
