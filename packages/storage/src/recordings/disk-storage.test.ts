import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import fc from "fast-check";
import { describe, type TestContext, test } from "vitest";
import { createDiskStorage as createFileStorage } from "../files/index.ts";
import { createDiskStorage } from "./disk-storage.ts";
import type { OpenedFile } from "./storage.ts";

const recording = { projectId: "default", recordingId: "rec_1" };
const first = { ...recording, epoch: 1 };
const second = { ...recording, epoch: 2 };

async function openStorage(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), "muster-recordings-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const rendered = async (name: string) => {
    const folder = join(directory, "rendered", name);
    const paths = {
      ...{ video: join(folder, "v"), chapters: join(folder, "c"), transcript: join(folder, "t") },
    };
    await mkdir(folder, { recursive: true });
    for (const [kind, path] of Object.entries(paths)) await writeFile(path, `${name} ${kind}`);
    return paths;
  };
  return { directory, storage: createDiskStorage(directory), rendered };
}

async function textOf(stream: Readable | undefined): Promise<string> {
  assert.ok(stream);
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const read = async (file: OpenedFile | undefined) => textOf(file?.read());

async function attemptsOf(storage: ReturnType<typeof createDiskStorage>): Promise<number[]> {
  const epochs: number[] = [];
  for await (const { epoch } of storage.attempts()) epochs.push(epoch);
  return epochs.sort();
}

describe("recordings on disk", () => {
  test("the three files of an attempt are read as rendered", async (t) => {
    const { storage, rendered } = await openStorage(t);
    assert.equal(await storage.open(first, "video.webm"), undefined);
    await storage.put(first, await rendered("a"));
    const video = await storage.open(first, "video.webm");
    assert.equal(video?.size, "a video".length);
    assert.equal(await read(video), "a video");
    assert.equal(await read(await storage.open(first, "chapters.vtt")), "a chapters");
    assert.equal(await read(await storage.open(first, "transcript.vtt")), "a transcript");
  });

  test("a range includes both of its ends", async (t) => {
    const { storage, rendered } = await openStorage(t);
    await storage.put(first, await rendered("abcdef"));
    const video = await storage.open(first, "video.webm");
    assert.equal(await textOf(video?.read({ start: 1, end: 3 })), "bcd");
  });

  test("storing an attempt again changes nothing", async (t) => {
    const { storage, rendered } = await openStorage(t);
    await storage.put(first, await rendered("a"));
    await storage.put(first, await rendered("b"));
    assert.equal(await read(await storage.open(first, "video.webm")), "a video");
  });

  test("attempts do not disturb each other", async (t) => {
    const { storage, rendered } = await openStorage(t);
    const files = [await rendered("a"), await rendered("b")] as const;
    await Promise.all([storage.put(first, files[0]), storage.put(second, files[1])]);
    assert.deepEqual(await attemptsOf(storage), [1, 2]);
    await storage.removeAttempt(first);
    assert.equal(await storage.open(first, "video.webm"), undefined);
    assert.equal(await read(await storage.open(second, "video.webm")), "b video");
  });

  test("an attempt that cannot be stored completely leaves nothing, and can be stored again", async (t) => {
    const { directory, storage, rendered } = await openStorage(t);
    const files = await rendered("a");
    const withoutTranscript = { ...files, transcript: join(directory, "missing") };
    await assert.rejects(storage.put(first, withoutTranscript), { code: "ENOENT" });
    assert.equal(await storage.open(first, "video.webm"), undefined);
    assert.deepEqual(await readdir(join(directory, ".recordings", ".arriving")), []);
    await storage.put(first, files);
    assert.equal(await read(await storage.open(first, "video.webm")), "a video");
  });

  test("removing a recording removes all of its attempts, and removing it again succeeds", async (t) => {
    const { storage, rendered } = await openStorage(t);
    await storage.put(first, await rendered("a"));
    await storage.put({ ...first, recordingId: "rec_2" }, await rendered("b"));
    const opened = await storage.open(first, "video.webm");
    await storage.remove(recording);
    await storage.remove(recording);
    await storage.removeAttempt(first);
    assert.equal(await storage.open(first, "video.webm"), undefined);
    const other = await storage.open({ ...first, recordingId: "rec_2" }, "video.webm");
    assert.equal(await read(other), "b video");
    assert.equal(await read(opened), "a video", "a reader loses what it has opened");
  });

  test("drafts of recorders that died are removed, and those of living ones are kept", async (t) => {
    const { directory, storage, rendered } = await openStorage(t);
    const arriving = join(directory, ".recordings", ".arriving");
    for (const name of ["dead", "living"])
      await cp(join((await rendered(name)).video, ".."), join(arriving, name), { recursive: true });
    await utimes(join(arriving, "dead"), 1, 1);
    await storage.put(first, await rendered("a"));
    await storage.removeDraftsBefore(Date.now() - 60_000);
    assert.deepEqual(await readdir(arriving), ["living"]);
    assert.deepEqual(await attemptsOf(storage), [1]);
  });

  test("removing old uploaded files, and all files of any owner, leaves recordings alone", async (t) => {
    const { directory, storage, rendered } = await openStorage(t);
    await storage.put(first, await rendered("a"));
    const uploads = createFileStorage(directory);
    await uploads.removeBefore(Date.now() + 24 * 60 * 60_000);
    for (const [projectId, ownerId] of [
      ["default", "rec_1"],
      [".recordings", "default"],
      ["default", ".recordings"],
    ] as const)
      await uploads.removeOwner({ projectId, ownerId }).catch(() => undefined);
    assert.equal(await read(await storage.open(first, "video.webm")), "a video");
  });

  test("a key that is not a plain name is refused by every method", async (t) => {
    const { storage, rendered } = await openStorage(t);
    const files = await rendered("a");
    const hostile = [
      ...["..", ".", "", "rec_", "a", "rec_../x", "rec_a/b", "rec_a\\b", "rec_a\0", "rec_a%2f"].map(
        (recordingId) => ({
          ...first,
          recordingId,
        }),
      ),
      ...["..", ".", "", "a/b", ".arriving", "a\n"].map((projectId) => ({ ...first, projectId })),
      ...[0, -1, 1.5, Number.NaN].map((epoch) => ({ ...recording, epoch })),
    ];
    for (const key of hostile) {
      await assert.rejects(storage.put(key, files), /recording/);
      await assert.rejects(async () => storage.open(key, "video.webm"), /recording/);
      await assert.rejects(async () => storage.removeAttempt(key), /recording/);
      if (key.epoch === 1) await assert.rejects(async () => storage.remove(key), /recording/);
    }
  });

  test("no id leads out of the folder of its recording", async (t) => {
    const { directory, storage } = await openStorage(t);
    await writeFile(join(directory, "video.webm"), "not a recording");
    const parts = fc
      .array(fc.constantFrom("rec_", "..", "/", "\\", "a", ".", "%2e", "\0"))
      .map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(parts, parts, async (projectId, recordingId) => {
        const opened = async () => storage.open({ projectId, recordingId, epoch: 1 }, "video.webm");
        assert.equal(await opened().catch(() => undefined), undefined);
      }),
    );
  });
});
