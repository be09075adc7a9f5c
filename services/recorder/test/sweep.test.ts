import assert from "node:assert/strict";
import { mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInProcessBus } from "@muster/events";
import { ManualClock, Secret, silentLogger, systemClock } from "@muster/service";
import { createDiskStorage } from "@muster/storage/recordings";
import { temporaryDirectory } from "@muster/testing";
import { describe, type TestContext, test, vi } from "vitest";
import { createContext } from "../src/context.ts";
import { sweep } from "../src/upkeep/sweep.ts";
import { FakeRecordings } from "./support/fake-recordings.ts";
import { createSmallRenderer } from "./support/index.ts";

const principalSecrets = [new Secret("0123456789abcdef0123456789abcdef")];
const dayMs = 24 * 60 * 60_000;

async function startWorld(t: TestContext, { retentionDays = 30 } = {}) {
  const directory = await temporaryDirectory(t);
  // The clock of these tests runs ahead: other recorders of this machine must not lose their folders.
  vi.stubEnv("TMPDIR", directory);
  t.onTestFinished(() => void vi.unstubAllEnvs());
  const recordings = new FakeRecordings(principalSecrets, systemClock);
  const storage = createDiskStorage(directory);
  const clock = new ManualClock(Date.now());
  const bus = createInProcessBus({ log: silentLogger });
  t.onTestFinished(() => bus.close());
  const context = createContext(
    { principalSecrets, directory, retentionDays, theme: "dark", priority: "normal", concurrency: 1 },
    { bus, log: silentLogger, workforce: recordings.transport, render: createSmallRenderer() },
  );
  const store = async (recordingId: string, epoch: number) => {
    const path = join(directory, "file");
    await writeFile(path, "content");
    const files = { video: path, chapters: path, transcript: path };
    await storage.put({ projectId: "default", recordingId, epoch }, files);
  };
  const left = async () => {
    const found: string[] = [];
    for await (const { recordingId, epoch } of storage.attempts()) found.push(`${recordingId} ${epoch}`);
    return found.sort();
  };
  const sweepAfter = (ms: number) => {
    clock.advance(ms);
    return sweep({ ...context, clock }, new AbortController().signal);
  };
  return { recordings, store, left, sweepAfter };
}

describe("the sweep of recorders", () => {
  test("files stay that can be watched or are being made, and those of dead attempts are removed", async (t) => {
    const { recordings, store, left, sweepAfter } = await startWorld(t);
    Object.assign(recordings.add("rec_ready"), { status: "ready", epoch: 2 });
    Object.assign(recordings.add("rec_failed"), { status: "failed", epoch: 5 });
    Object.assign(recordings.add("rec_deleted"), { status: "deleted", epoch: 1 });
    recordings.add("rec_processing");
    for (const id of ["ready", "failed", "deleted", "processing"])
      for (const epoch of [1, 2, 3]) await store(`rec_${id}`, epoch);
    await sweepAfter(dayMs);
    assert.deepEqual(await left(), [
      ...["rec_processing 1", "rec_processing 2", "rec_processing 3"],
      "rec_ready 2",
    ]);
  });

  test("files of an attempt that may still run stay", async (t) => {
    const { recordings, store, left, sweepAfter } = await startWorld(t);
    Object.assign(recordings.add("rec_1"), { status: "failed" });
    await store("rec_1", 1);
    await sweepAfter(60_000);
    assert.deepEqual(await left(), ["rec_1 1"]);
  });

  test("files of recordings that the database does not know stay until their retention ends", async (t) => {
    const { store, left, sweepAfter } = await startWorld(t);
    await store("rec_unknown", 1);
    await sweepAfter(29 * dayMs);
    assert.deepEqual(await left(), ["rec_unknown 1"]);
    await sweepAfter(2 * dayMs);
    assert.deepEqual(await left(), []);
  });

  test("without an end of retention, files that the database does not know stay", async (t) => {
    const { store, left, sweepAfter } = await startWorld(t, { retentionDays: 0 });
    await store("rec_unknown", 1);
    await sweepAfter(4_000 * dayMs);
    assert.deepEqual(await left(), ["rec_unknown 1"]);
  });

  test("an outage of the workforce service removes nothing", async (t) => {
    const { recordings, store, left, sweepAfter } = await startWorld(t);
    Object.assign(recordings.add("rec_1"), { status: "failed" });
    recordings.down.add("get");
    await store("rec_1", 1);
    await sweepAfter(100 * dayMs);
    assert.deepEqual(await left(), ["rec_1 1"]);
  });

  test("folders of killed recorders are removed, and those of living ones and of others stay", async (t) => {
    const { sweepAfter } = await startWorld(t);
    const folders: Array<[path: string, isDead: boolean]> = [];
    for (const [prefix, isDead] of [
      ["muster-recorder-", true],
      ["muster-recorder-", false],
      ["muster-other-", true],
    ] as const) {
      const path = await mkdtemp(join(tmpdir(), prefix));
      t.onTestFinished(() => rm(path, { recursive: true, force: true }));
      if (isDead) await utimes(path, 1, 1);
      folders.push([path, isDead && prefix === "muster-recorder-"]);
    }
    await sweepAfter(60_000);
    for (const [path, isDead] of folders)
      assert.equal(
        await stat(path).then(
          () => false,
          () => true,
        ),
        isDead,
        path,
      );
  });
});
