import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { recordingsIn } from "@muster/storage/recordings";
import { temporaryDirectory, until } from "@muster/testing";
import { RenderError } from "@muster/video";
import { describe, test, vi } from "vitest";
import type { Renderer } from "../src/renderer.ts";
import { startWorld } from "./support/harness.ts";
import { createSmallRenderer } from "./support/index.ts";

const never = 2 ** 30;
const diskFull = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

/** The lines of a diary: who began and ended what. */
function linesOf(diary: string): Array<{ pid: number; event: string }> {
  try {
    const lines = readFileSync(diary, "utf8").trim().split("\n");
    return lines.map((line) => ({ pid: Number.parseInt(line, 10), event: line.replace(/^\d+ /, "") }));
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a recorder", () => {
  test("a waiting recording becomes a video of its facts and its whole timeline", async (t) => {
    const { recordings, addRecorder, videoOf, storage } = await startWorld(t);
    const waiting = recordings.add("rec_1", "Count the lines");
    await addRecorder();
    await until("it is ready", () => waiting.status === "ready");
    assert.deepEqual(await videoOf("rec_1", 1), {
      facts: {
        ...{ agentName: "Lou", task: "Count the lines", status: "completed" },
        ...{ startedAtMs: 1_000, endedAtMs: waiting.endedAtMs },
      },
      events: [
        { atMs: 0, type: "thread-status", json: '{"status":"running"}' },
        { atMs: 1_500, type: "text-delta", json: '{"delta":"Hi\\n"}' },
      ],
    });
    const stored = await storage.open({ projectId: "default", recordingId: "rec_1", epoch: 1 }, "video.webm");
    const [outcome] = waiting.outcomes;
    assert.ok(outcome?.case === "video");
    assert.equal(Number(outcome.value.sizeBytes), stored?.size);
    assert.deepEqual([outcome.value.width, outcome.value.height], [1280, 720]);
    await stored?.close();
  });

  test("an event makes a recorder check at once, and its redelivery renders nothing again", async (t) => {
    const { directory, recordings, addRecorder, announce } = await startWorld(t);
    const diary = join(directory, "diary");
    await addRecorder({ diary, timings: { pollEveryMs: never } });
    await until("it has looked once", () => recordings.calls.length > 0);
    const waiting = recordings.add("rec_1");
    for (const id of ["a", "b", "c"]) await announce("rec_1", id);
    await until("it is ready", () => waiting.status === "ready");
    await announce("rec_1", "d");
    await announce("rec_none", "e");
    const before = recordings.calls.length;
    await until("the events have been looked at", () => recordings.calls.length > before + 1);
    assert.deepEqual([waiting.epoch, linesOf(diary).length], [1, 2]);
  });

  test("no more recordings than configured are rendered at the same time, and all are rendered", async (t) => {
    const { recordings, addRecorder } = await startWorld(t);
    const all = ["1", "2", "3", "4", "5"].map((id) => recordings.add(`rec_${id}`));
    const small = createSmallRenderer();
    const both = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const render: Renderer = async (...job) => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) both.resolve();
      await both.promise;
      return await small(...job).finally(() => {
        running -= 1;
      });
    };
    await addRecorder({ concurrency: 2, over: { render } });
    await until("all are ready", () => all.every(({ status }) => status === "ready"));
    assert.equal(most, 2);
    assert.deepEqual(
      all.map(({ epoch }) => epoch),
      [1, 1, 1, 1, 1],
    );
  });

  test("only a first attempt soon after the run yields to everything else, so a busy machine cannot keep a recording from becoming a video", async (t) => {
    const { recordings, addRecorder } = await startWorld(t);
    const tasks = ["first", "again", "late"];
    const all = tasks.map((task) => recordings.add(`rec_${task}`, task));
    const [, again, late] = all;
    assert.ok(again && late);
    again.epoch = 1;
    late.endedAtMs -= 11 * 60_000;
    const small = createSmallRenderer();
    const priorities = new Map<string, string | undefined>();
    const render: Renderer = (job, options) => {
      priorities.set(job.facts.task, job.priority);
      return small(job, options);
    };
    await addRecorder({ priority: "low", over: { render } });
    await until("all are ready", () => all.every(({ status }) => status === "ready"));
    assert.deepEqual(
      tasks.map((task) => priorities.get(task)),
      ["low", "normal", "normal"],
    );
  });

  test("a recorder that lost its lease ends its child process at once, and its attempt does not count", async (t) => {
    const { directory, recordings, addRecorder, epochsOf } = await startWorld(t);
    const diary = join(directory, "diary");
    Object.assign(recordings, { leaseMs: 100, heldMs: never });
    const held = recordings.add("rec_1", "hold");
    await addRecorder({ diary });
    await until("it renders", () => linesOf(diary).length === 1);
    Object.assign(held, { epoch: 7, attempts: 2, leaseUntilMs: Date.now() + never });
    const [{ pid } = { pid: 0 }] = linesOf(diary);
    await until("its child has ended", () => !isAlive(pid));
    await until("its attempt does not count", () => held.attempts === 1);
    assert.deepEqual(held.outcomes, []);
    assert.deepEqual(await epochsOf("rec_1"), []);
  });

  test("rendering continues while the workforce service is away, and is finished when it is back", async (t) => {
    const { directory, recordings, addRecorder, videoOf } = await startWorld(t);
    const diary = join(directory, "diary");
    Object.assign(recordings, { leaseMs: 100, heldMs: never });
    const waiting = recordings.add("rec_1");
    recordings.after = (rpc) => {
      if (rpc !== "read") return;
      recordings.after = undefined;
      for (const each of ["claim", "renew", "finish"] as const) recordings.down.add(each);
    };
    await addRecorder({ diary });
    await until("rendering has ended", () => linesOf(diary).length === 2);
    await until("its end was refused", () => recordings.calls.includes("finish"));
    assert.equal(waiting.status, "processing");
    recordings.down.clear();
    await until("it is ready", () => waiting.status === "ready");
    assert.ok(await videoOf("rec_1", waiting.epoch));
  });

  test("a recorder that stops gives its recording back without a lost attempt, and another takes it at once", async (t) => {
    const { directory, recordings, addRecorder } = await startWorld(t);
    const diary = join(directory, "diary");
    const held = recordings.add("rec_1", "hold");
    const first = await addRecorder({ diary });
    await until("it renders", () => linesOf(diary).length === 1);
    const [{ pid } = { pid: 0 }] = linesOf(diary);
    await first.stop();
    assert.equal(isAlive(pid), false, "its child outlived it");
    assert.deepEqual(held.outcomes, [{ case: "released", value: true }]);
    assert.equal(held.attempts, 0);
    held.task = "Look";
    await addRecorder();
    await until("it is ready", () => held.status === "ready");
    assert.equal(held.epoch, 2);
  });

  test("a recording that arrives while its recorder stops is given back", async (t) => {
    const { recordings, addRecorder } = await startWorld(t);
    const waiting = recordings.add("rec_1", "hold");
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    recordings.after = async (rpc) => {
      if (rpc !== "claim") return;
      reached.resolve();
      await release.promise;
    };
    const recorder = await addRecorder();
    await reached.promise;
    const stopping = recorder.stop();
    release.resolve();
    await stopping;
    assert.deepEqual(waiting.outcomes, [{ case: "released", value: true }]);
  });

  test("a video that is being stored when its recorder stops is finished", async (t) => {
    const { recordings, storage, addRecorder, videoOf } = await startWorld(t);
    const waiting = recordings.add("rec_1");
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow: typeof storage.put = async (key, files) => {
      reached.resolve();
      await release.promise;
      await storage.put(key, files);
    };
    const recorder = await addRecorder({ over: { storage: { ...storage, put: slow } } });
    await reached.promise;
    const stopping = recorder.stop();
    release.resolve();
    await stopping;
    assert.equal(waiting.status, "ready");
    assert.ok(await videoOf("rec_1", 1));
  });

  test("a recorder stops in time although the workforce service is away", async (t) => {
    const { directory, recordings, addRecorder } = await startWorld(t);
    const diary = join(directory, "diary");
    recordings.add("rec_1", "hold");
    const recorder = await addRecorder({ diary, timings: { drainMs: 50 } });
    await until("it renders", () => linesOf(diary).length === 1);
    recordings.down.add("finish").add("claim").add("renew");
    await recorder.stop();
    assert.equal(isAlive(linesOf(diary)[0]?.pid ?? 0), false);
  });

  test("a poison recording fails after five attempts, and the recorder renders others", async (t) => {
    const { recordings, addRecorder, epochsOf } = await startWorld(t);
    const poison = recordings.add("rec_1", "poison");
    await addRecorder();
    await until("it has failed", () => poison.status === "failed");
    assert.deepEqual(
      poison.outcomes,
      Array.from({ length: 5 }, () => ({ case: "error", value: "The video could not be rendered." })),
    );
    assert.deepEqual(await epochsOf("rec_1"), []);
    const next = recordings.add("rec_2");
    await until("the next one is ready", () => next.status === "ready");
  });

  test("attempts that find the disk full do not count, whether it is full for the video or for the work", async (t) => {
    const { recordings, storage, addRecorder } = await startWorld(t);
    const waiting = recordings.add("rec_1");
    const small = createSmallRenderer();
    let left = 12;
    const render: Renderer = async (job, options) => {
      if (left % 2 === 1 && left-- > 0) throw new RenderError("disk_full", "No space was left.");
      return await small(job, options);
    };
    const put: typeof storage.put = async (key, files) => {
      if (left > 0 && left-- > 0) throw diskFull;
      await storage.put(key, files);
    };
    await addRecorder({ over: { render, storage: { ...storage, put } } });
    await until("it has ended", () => waiting.status !== "processing");
    assert.deepEqual(
      waiting.outcomes.map((outcome) => outcome.case),
      [...Array.from({ length: 12 }, () => "diskFull"), "video"],
    );
    assert.deepEqual([waiting.status, waiting.attempts], ["ready", 1]);
  });

  test("a recorder whose disk is full claims nothing until a small write succeeds", async (t) => {
    const { directory, recordings, storage, addRecorder } = await startWorld(t);
    const waiting = recordings.add("rec_1");
    // A folder in its place makes the small write fail.
    const probe = join(recordingsIn(directory), ".space-probe");
    let isFull = true;
    const put: typeof storage.put = async (key, files) => {
      if (!isFull) return await storage.put(key, files);
      await mkdir(probe, { recursive: true });
      throw diskFull;
    };
    await addRecorder({ over: { storage: { ...storage, put } } });
    await until("an attempt has met the full disk", () => waiting.outcomes.length > 0);
    // A free place is filled at once.
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    assert.equal(waiting.epoch, 1);
    isFull = false;
    await rmdir(probe);
    await until("it is ready", () => waiting.status === "ready");
  });

  test("a video that is rendered while the store's disk is full is kept, and finished once there is space", async (t) => {
    const { recordings, addRecorder } = await startWorld(t);
    Object.assign(recordings, { leaseMs: 100, heldMs: never });
    const waiting = recordings.add("rec_1");
    recordings.after = (rpc) => {
      if (rpc === "read") recordings.isStoreFull = true;
    };
    await addRecorder({ timings: { repeatForMs: 0, renewWithinMs: 0 } });
    await until("its end was refused", () => recordings.calls.filter((rpc) => rpc === "finish").length > 3);
    recordings.isStoreFull = false;
    await until("it is ready", () => waiting.status === "ready");
    assert.equal(waiting.epoch, 1);
  });

  test("an attempt that gets too little processor time does not count, and the next one has a normal priority", async (t) => {
    const { recordings, addRecorder } = await startWorld(t);
    const waiting = recordings.add("rec_1");
    const priorities: unknown[] = [];
    const small = createSmallRenderer();
    const render: Renderer = async (job, options) => {
      if (priorities.push(job.priority) <= 6) throw new RenderError("starved", "The machine was too busy.");
      return await small(job, options);
    };
    await addRecorder({ priority: "low", over: { render } });
    await until("it is ready", () => waiting.status === "ready");
    assert.deepEqual(priorities, ["low", ...Array.from({ length: 6 }, () => "normal")]);
    assert.deepEqual(
      waiting.outcomes.map((outcome) => outcome.case),
      [...Array.from({ length: 6 }, () => "released"), "video"],
    );
    assert.equal(waiting.attempts, 1);
  });

  test("a lost response to the end of an attempt loses no video and renders nothing again", async (t) => {
    const { directory, recordings, addRecorder, videoOf } = await startWorld(t);
    const diary = join(directory, "diary");
    const waiting = recordings.add("rec_1");
    let lost = 0;
    recordings.after = (rpc) => {
      if (rpc === "finish" && lost++ < 3) throw new Error("the connection broke");
    };
    // Renewals happen all the time, also while the end is being stored.
    Object.assign(recordings, { leaseMs: 4, heldMs: never });
    await addRecorder({ diary });
    await until("the end was repeated", () => lost === 4);
    assert.equal(waiting.status, "ready");
    assert.ok(await videoOf("rec_1", waiting.epoch));
    assert.deepEqual([waiting.epoch, linesOf(diary).length], [1, 2]);
  });

  test("a timeline that breaks off is read again from its beginning", async (t) => {
    const { recordings, addRecorder, videoOf } = await startWorld(t);
    const waiting = recordings.add("rec_1");
    const [first, second] = recordings.timeline;
    assert.ok(first && second);
    let reads = 0;
    recordings.timeline = {
      *[Symbol.iterator]() {
        yield first;
        if (reads++ < 2) throw new Error("the connection broke");
        yield second;
      },
    };
    await addRecorder();
    await until("it is ready", () => waiting.status === "ready");
    const video = await videoOf("rec_1", 1);
    assert.ok(
      typeof video === "object" && video !== null && "events" in video && Array.isArray(video.events),
    );
    assert.equal(video.events.length, 2);
  });

  test("files that were stored too late are removed, and those of the later attempt stay", async (t) => {
    const { recordings, storage, addRecorder, epochsOf, videoOf } = await startWorld(t);
    const waiting = recordings.add("rec_1");
    let isLate = false;
    const put: typeof storage.put = async (key, files) => {
      if (key.epoch === 1) {
        // Another recorder is faster.
        await storage.put({ ...key, epoch: 2 }, files);
        Object.assign(waiting, { epoch: 2, status: "ready" });
      }
      await storage.put(key, files);
      isLate = true;
    };
    await addRecorder({ over: { storage: { ...storage, put } } });
    await until("the late files are gone", async () => isLate && (await epochsOf("rec_1")).join() === "2");
    assert.ok(await videoOf("rec_1", 2));
  });

  test("files of earlier attempts are removed when a later one is ready", async (t) => {
    const { directory, recordings, storage, addRecorder, epochsOf } = await startWorld(t);
    const path = join(directory, "file");
    await writeFile(path, "of a recorder that died");
    const files = { video: path, chapters: path, transcript: path };
    await storage.put({ projectId: "default", recordingId: "rec_1", epoch: 1 }, files);
    const waiting = recordings.add("rec_1");
    waiting.epoch = 1;
    await addRecorder();
    await until("it is ready", () => waiting.status === "ready");
    await until("the earlier files are gone", async () => (await epochsOf("rec_1")).join() === "2");
  });

  test("an attempt leaves nothing in the folder for temporary files, however it ends", async (t) => {
    const { recordings, addRecorder } = await startWorld(t);
    const temporary = await temporaryDirectory(t);
    vi.stubEnv("TMPDIR", temporary);
    t.onTestFinished(() => void vi.unstubAllEnvs());
    const all = [recordings.add("rec_1"), recordings.add("rec_2", "poison")];
    const recorder = await addRecorder();
    await until("both have ended", () => all.every(({ status }) => status !== "processing"));
    await recorder.stop();
    assert.deepEqual(await readdir(temporary), []);
  });

  test("an outage of the workforce service at the start ends nothing, and work begins when it is back", async (t) => {
    const { recordings, addRecorder } = await startWorld(t);
    recordings.down.add("claim");
    const waiting = recordings.add("rec_1");
    await addRecorder();
    await until("it has asked several times", () => recordings.calls.length > 3);
    recordings.down.clear();
    await until("it is ready", () => waiting.status === "ready");
  });
});
