import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RenderJob } from "@muster/video";
import type { SmallRendererOptions } from "./small-renderer.ts";

// A recorder that is killed takes its child with it.
process.once("disconnect", () => process.exit(1));
process.once("message", (job: RenderJob & SmallRendererOptions) => void render(job));

async function render({
  facts,
  timelineFile,
  outputDirectory,
  diary,
  steps = 0,
  stepMs = 0,
}: RenderJob & SmallRendererOptions) {
  const note = (text: string) => diary && appendFileSync(diary, `${process.pid} ${text}\n`);
  note(`begins ${facts.task}`);
  if (facts.task.includes("poison")) process.exit(1);
  if (facts.task.includes("hold")) await setTimeout(2 ** 30);
  for (let step = 0; step < steps; step += 1) await setTimeout(stepMs);
  const events = readFileSync(timelineFile, "utf8").split("\n").filter(Boolean);
  const [video, chapters, transcript] = ["video.webm", "chapters.vtt", "transcript.vtt"].map((name) =>
    join(outputDirectory, name),
  );
  const text = JSON.stringify({ facts, events: events.map((line) => JSON.parse(line)) });
  writeFileSync(String(video), text);
  writeFileSync(String(chapters), "WEBVTT\n");
  writeFileSync(String(transcript), "WEBVTT\n");
  note(`ends ${facts.task}`);
  // The recorder disconnects once it has the message: a process that ends by itself can be faster than its message.
  process.send?.({ video, chapters, transcript, durationMs: 1_000, sizeBytes: Buffer.byteLength(text) });
}
