import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { Encoder } from "../encode/encoder.ts";
import { WebmFile } from "../encode/webm-file.ts";
import { film } from "../film/film.ts";
import { readTimeline } from "../film/timeline.ts";
import { createScene } from "../scene/create-scene.ts";
import { GrowingFile } from "./growing-file.ts";
import type { RenderedFiles, RenderJob } from "./job.ts";
import { peakMemoryBytes } from "./peak-memory-bytes.ts";

const size = { width: 1280, height: 720 } as const;
const fileNames = { video: "video.webm", chapters: "chapters.vtt", transcript: "transcript.vtt" } as const;
const maxTitleLength = 200;

/**
 * Renders in this process. Its files are complete when the promise resolves; a failure leaves them behind unchanged.
 */
export async function renderJob(
  { facts, theme, timelineFile, outputDirectory }: RenderJob,
  onProgress: (share: number) => void,
): Promise<RenderedFiles> {
  await mkdir(outputDirectory, { recursive: true });
  const pathOf = (name: keyof typeof fileNames) => join(outputDirectory, fileNames[name]);
  const scene = createScene(facts, { theme, ...size });
  const context = createCanvas(size.width, size.height).getContext("2d");
  const title = `${facts.agentName}: ${facts.task}`.slice(0, maxTitleLength).toWellFormed();
  const encoder = await Encoder.open(size.width, size.height);
  const video = await WebmFile.create({ path: pathOf("video"), title, ...size });
  const chapters = await GrowingFile.create(pathOf("chapters"));
  const transcript = await GrowingFile.create(pathOf("transcript"));
  const saveProgress = async (share: number) => {
    await chapters.append(scene.words.takeChapters());
    await transcript.append(scene.words.takeTranscript());
    onProgress(share);
  };
  const equipment = { scene, context, encoder, video, onProgress: saveProgress };
  try {
    const durationMs = await film(equipment, readTimeline(timelineFile));
    await chapters.finish();
    await transcript.finish();
    return { ...(await filesOf(pathOf)), durationMs, ...(await costOfProcess()) };
  } finally {
    await Promise.all([video.close(), chapters.close(), transcript.close()]);
    encoder.free();
  }
}

async function filesOf(pathOf: (name: keyof typeof fileNames) => string) {
  const video = pathOf("video");
  const { size: sizeBytes } = await stat(video);
  return { video, chapters: pathOf("chapters"), transcript: pathOf("transcript"), sizeBytes };
}

async function costOfProcess() {
  const { user, system } = process.cpuUsage();
  return { cpuMs: Math.round((user + system) / 1000), peakMemoryBytes: await peakMemoryBytes() };
}
