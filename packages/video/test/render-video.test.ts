import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { appendFile, readdir, readFile, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { collect, serve, until } from "@muster/testing";
import { openPage } from "@muster/testing/browser";
import { suiteScope } from "@muster/testing/suite";
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from "mediabunny";
import { beforeAll, expect, test } from "vitest";
import type { RenderedFiles } from "../src/child/job.ts";
import { processCpuMs } from "../src/child/process-cpu-ms.ts";
import { renderVideo } from "../src/child/render-video.ts";
import { pictureAt } from "./support/decode.ts";
import { incidentFacts, incidentTimeline } from "./support/incident.ts";
import { type Playing, play } from "./support/play.ts";
import { busyEvents, jobFor } from "./support/sample-run.ts";

const never = new AbortController().signal;

/** The video of the first part of an incident, which the first tests share. */
const events = incidentTimeline().slice(0, 120);
let files: RenderedFiles;
const shares: number[] = [];
const scope = suiteScope();

beforeAll(async () => {
  const job = { ...(await jobFor(scope, events)), facts: incidentFacts };
  files = await renderVideo(job, { signal: never, onProgress: (share) => shares.push(share) });
});

test("the video has the codec, size, colours, title, duration and key frames that players need", async (t) => {
  const input = new Input({ source: new FilePathSource(files.video), formats: ALL_FORMATS });
  t.onTestFinished(() => input.dispose());
  const track = await input.getPrimaryVideoTrack();
  expect(track).toMatchObject({ codec: "vp9", codedWidth: 1280, codedHeight: 720 });
  expect(await track?.getCodecParameterString()).toBe("vp09.00.31.08");
  expect(await track?.getColorSpace()).toEqual({
    ...{ primaries: "bt709", transfer: "bt709", matrix: "bt709", fullRange: false },
  });
  expect(await input.getMetadataTags()).toMatchObject({ title: expect.stringMatching(/^Lou: Checkout /) });
  expect(((await input.getDurationFromMetadata()) ?? 0) * 1000).toBeCloseTo(files.durationMs);
  expect(files.durationMs).toBeGreaterThan(20_000);
  expect(files.sizeBytes).toBe((await stat(files.video)).size);
  if (track === null) return;

  const packets = await collect(new EncodedPacketSink(track).packets());
  const times = packets.map(({ timestamp }) => timestamp);
  expect(times[0]).toBe(0);
  expect(new Set(times).size).toBe(times.length);
  expect(times.toSorted((a, b) => a - b)).toEqual(times);
  const keys = packets.filter(({ type }) => type === "key").map(({ timestamp }) => timestamp);
  const gaps = [...keys, files.durationMs / 1000].map((key, index, all) => key - (all[index - 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(15);
  expect(keys.length).toBeGreaterThan(1);
});

test("progress grows to one, and only the three files remain", async () => {
  expect(shares.toSorted((a, b) => a - b)).toEqual(shares);
  expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
  expect((await readdir(dirname(files.video))).sort()).toEqual([
    "chapters.vtt",
    "transcript.vtt",
    "video.webm",
  ]);
  expect(await readFile(files.chapters, "utf8")).toMatch(/^WEBVTT\n/);
  expect(await readFile(files.transcript, "utf8")).toMatch(/^WEBVTT\n/);
});

test("Chromium plays the video, knows its length, and shows other pictures at other times", async (t) => {
  const video = await readFile(files.video);
  const url = await serve(t, (request, response) => {
    if (request.url === "/video.webm") return sendRange(video, request, response);
    response.setHeader("content-type", "text/html");
    response.end('<!doctype html><video src="/video.webm" muted preload="auto" width="880"></video>');
  });
  const page = await openPage(t, url);
  await page.evaluate("window.video = document.querySelector('video'), 0");
  expect(await page.evaluate("video.canPlayType('video/webm; codecs=\"vp09.00.31.08\"')")).toBe("probably");
  await page.waitFor("video.readyState >= 2");
  expect(await page.evaluate("[video.videoWidth, video.videoHeight]")).toEqual([1280, 720]);
  const durationMs = Number(await page.evaluate("video.duration")) * 1000;
  expect(Math.abs(durationMs / files.durationMs - 1)).toBeLessThan(0.05);

  const pictures = [];
  for (const share of [0.02, 0.4, 0.7, 0.98]) {
    const seconds = (share * files.durationMs) / 1000;
    await page.evaluate(`new Promise((shown) => {
      video.requestVideoFrameCallback((_, frame) => shown(frame.mediaTime));
      video.currentTime = ${seconds};
    })`);
    await page.waitFor(`Math.abs(video.currentTime - ${seconds}) < 0.1 && !video.seeking`);
    pictures.push(
      createHash("sha256")
        .update(await page.screenshot())
        .digest("hex"),
    );
  }
  expect(new Set(pictures).size).toBe(pictures.length);

  await page.evaluate("video.currentTime = 1, video.play()");
  await page.waitFor("video.currentTime > 1.5");
  expect(await page.evaluate("video.error")).toBe(null);
  expect(page.problems.filter((problem) => !problem.includes("favicon"))).toEqual([]);
});

test("a decoded picture has the colours that the scene has drawn, all over the frame", async () => {
  let last: Playing | undefined;
  await play(incidentFacts, events, { look: (_, playing) => (last = playing) });
  const drawn = last?.context.getImageData(0, 0, 1280, 720).data ?? new Uint8ClampedArray();
  const { pixels } = await pictureAt(files.video, files.durationMs / 1000);
  expect(pixels.length).toBe(drawn.length);
  for (const block of blocks()) {
    const wanted = meanOf(drawn, block);
    meanOf(pixels, block).forEach((value, channel) => {
      expect(Math.abs(value - (wanted[channel] ?? 0))).toBeLessThan(6);
    });
  }
});

test("the same timeline makes the same video, also when two are rendered at once and one was cut in the middle of a line", async (t) => {
  const jobs = [await jobFor(t, busyEvents(200)), await jobFor(t, busyEvents(200))];
  await appendFile(jobs[1]?.timelineFile ?? "", '{"atMs":200,"type":"text-del');
  const files = await Promise.all(jobs.map((job) => renderVideo(job, { signal: never })));
  const [first, second] = files.map(({ video }) => withoutIds(readFileSync(video)));
  expect(files[0]?.durationMs).toBeGreaterThan(200);
  expect(first?.equals(second ?? Buffer.of())).toBe(true);
});

test("an empty timeline gives a video of the cards", async (t) => {
  const job = await jobFor(t, []);
  const { sizeBytes } = await renderVideo(job, { signal: never });
  expect(sizeBytes).toBeGreaterThan(1000);
});

test("an abort ends the process, leaves nothing behind and rejects with its reason", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  const abort = new AbortController();
  const rendering = renderVideo(job, {
    signal: abort.signal,
    onProgress: underWay(() => abort.abort(new Error("enough"))),
  });
  await expect(rendering).rejects.toThrow("enough");
  expect(await readdir(job.outputDirectory)).toEqual([]);
  expect(children()).toEqual([]);
  await expect(renderVideo(job, { signal: abort.signal })).rejects.toThrow("enough");
});

test("an abort before the process has started ends it, too", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  const abort = new AbortController();
  const rendering = renderVideo(job, { signal: abort.signal });
  abort.abort(new Error("at once"));
  await expect(rendering).rejects.toThrow("at once");
  expect(await readdir(job.outputDirectory)).toEqual([]);
  expect(children()).toEqual([]);
});

test("a process that is killed is reported, and leaves nothing behind", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  const rendering = renderVideo(job, {
    signal: never,
    onProgress: underWay(() => signalChildren("SIGKILL")),
  });
  await expect(rendering).rejects.toMatchObject({
    failure: "killed",
    message: "The process that rendered the video was ended by SIGKILL.",
  });
  expect(await readdir(job.outputDirectory)).toEqual([]);
});

test("a process that gets processor time and makes no progress is ended", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  const rendering = renderVideo(job, {
    signal: never,
    stallMs: 1000,
    starveMs: Number.POSITIVE_INFINITY,
    onProgress: underWay(() => signalChildren("SIGSTOP")),
    readCpuMs: async () => Number.MAX_SAFE_INTEGER,
  });
  await expect(rendering).rejects.toMatchObject({
    failure: "stalled",
    message: "Rendering the video made no progress in 1 seconds of processor time.",
  });
  expect(await readdir(job.outputDirectory)).toEqual([]);
  await until(() => children().length === 0);
});

test("a process that gets no processor time is ended as starved, and never as one that makes no progress", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  const rendering = renderVideo(job, {
    signal: never,
    stallMs: 1000,
    starveMs: 0,
    onProgress: underWay(() => signalChildren("SIGSTOP")),
  });
  await expect(rendering).rejects.toMatchObject({
    failure: "starved",
    message: "The machine was too busy to render the video.",
  });
  expect(await readdir(job.outputDirectory)).toEqual([]);
});

test("a video that needs more processor time than it may have is not made", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  await expect(renderVideo(job, { signal: never, cpuMs: 1 })).rejects.toMatchObject({
    failure: "too_long",
    message: "Rendering the video needs more than 0 minutes of processor time.",
  });
});

test("the processor time of another process is the time that it has really had", async (t) => {
  const child = fork(join(import.meta.dirname, "./support/burn.ts"));
  t.onTestFinished(() => void child.kill("SIGKILL"));
  const [burntMs] = await once(child, "message");
  const measuredMs = (await processCpuMs(child.pid ?? 0)) ?? Number.NaN;
  // The kernel counts in steps of 10 ms; the child has slept since.
  expect(measuredMs).toBeGreaterThanOrEqual(burntMs - 20);
  expect(measuredMs).toBeLessThan(burntMs + 2000);
  expect(await processCpuMs(2 ** 30)).toBeUndefined();
});

test("a process that needs too much memory is ended", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  await expect(renderVideo(job, { signal: never, memoryMb: 120 })).rejects.toMatchObject({
    failure: "out_of_memory",
    message: "Rendering the video needed more than 120 MB of memory.",
  });
  expect(await readdir(job.outputDirectory)).toEqual([]);
});

test("a timeline that is missing is reported", async (t) => {
  const job = await jobFor(t, []);
  const rendering = renderVideo({ ...job, timelineFile: `${job.timelineFile}-none` }, { signal: never });
  await expect(rendering).rejects.toMatchObject({
    failure: "timeline_unreadable",
    message: "The timeline of the run cannot be read.",
  });
});

/** Once a part of the timeline is in the video. */
function underWay(action: () => void): (share: number) => void {
  return (share) => {
    if (share > 0) action();
  };
}

function signalChildren(signal: NodeJS.Signals): void {
  for (const id of children()) process.kill(id, signal);
}

/** The renderings that this process has started. */
function children(): number[] {
  const listed = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
  return listed.split(" ").filter(Boolean).map(Number).filter(rendersVideo);
}

/** Other test files of this process may still have children of their own. */
function rendersVideo(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("video-process");
  } catch {
    return false;
  }
}

/** Each track has a random number, near the start of the file. */
function withoutIds(file: Buffer): Buffer {
  return file.subarray(4096);
}

function sendRange(content: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = Number(from);
  const end = to === "" ? content.length - 1 : Number(to);
  response.writeHead(request.headers.range === undefined ? 200 : 206, {
    ...{ "content-type": "video/webm", "accept-ranges": "bytes", "content-length": end - start + 1 },
    "content-range": `bytes ${start}-${end}/${content.length}`,
  });
  response.end(content.subarray(start, end + 1));
}

function blocks(): Array<{ x: number; y: number }> {
  return Array.from({ length: 16 * 9 }, (_, index) => ({
    x: (index % 16) * 80,
    y: Math.floor(index / 16) * 80,
  }));
}

/** The mean red, green and blue of a square of 80 pixels. */
function meanOf(pixels: Uint8ClampedArray, block: { x: number; y: number }): number[] {
  const sums = [0, 0, 0];
  for (let y = block.y; y < block.y + 80; y++) {
    for (let x = block.x; x < block.x + 80; x++) {
      const at = (y * 1280 + x) * 4;
      sums.forEach((sum, channel) => {
        sums[channel] = sum + (pixels[at + channel] ?? 0);
      });
    }
  }
  return sums.map((sum) => sum / 6400);
}
