// Makes the pictures of recorded runs for the documentation, and the videos they are from: npm run record:gallery.
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderVideo } from "../src/index.ts";
import { webpAt } from "../test/support/decode.ts";
import { type Example, examples } from "./examples.ts";

const pictures = resolve(import.meta.dirname, "../../../docs/images");
const { values } = parseArgs({ options: { videos: { type: "string" } } });
const folder = values.videos ?? (await mkdtemp(join(tmpdir(), "muster-gallery-")));

try {
  await mkdir(pictures, { recursive: true });
  for (const example of examples) await render(example);
} finally {
  if (values.videos === undefined) await rm(folder, { recursive: true, force: true });
}

async function render({ name, facts, events, theme, seconds }: Example): Promise<void> {
  const outputDirectory = join(folder, name);
  await mkdir(outputDirectory, { recursive: true });
  const timelineFile = join(outputDirectory, "timeline");
  await writeFile(timelineFile, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const job = { facts, timelineFile, outputDirectory, theme };
  const files = await renderVideo(job, { signal: AbortSignal.timeout(600_000) });
  const picture = join(pictures, `recording-${name}.webp`);
  await writeFile(picture, await webpAt(files.video, seconds));
  const kilobytes = Math.round((await stat(picture)).size / 1024);
  const length = Math.round(files.durationMs / 1000);
  console.log(`docs/images/recording-${name}.webp: ${kilobytes} KB, at ${seconds} s of ${length} s`);
}
