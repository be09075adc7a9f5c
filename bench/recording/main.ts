/** Measures the cost of a recorded run's video; see `bench/README.md`. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderVideo, type TimelineEvent } from "@muster/video";
import { printAtMost } from "../support/figures.ts";
import { longRun, minuteOfWork } from "./timelines.ts";

interface Targets {
  cpuS?: number;
  wallS?: number;
  memoryMb: number;
  sizeMb?: number;
}

/** `quick`: only a tenth of the long run. */
const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const part = values.quick ? 0.1 : 1;
await measure("a run of 60 s", minuteOfWork(), { cpuS: 25, memoryMb: 300, sizeMb: 1.5 });
const long = longRun(1_800_000 * part, 20_000_000 * part);
await measure(`a run of ${30 * part} minutes, ${20 * part} MB of output`, long, {
  wallS: 600,
  memoryMb: 500,
});

async function measure(name: string, events: TimelineEvent[], most: Targets): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  try {
    const timelineFile = join(directory, "timeline");
    await writeFile(timelineFile, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    const times = { startedAtMs: 0, endedAtMs: events.at(-1)?.atMs ?? 0 };
    const facts = { agentName: "Lou", task: "Follow the logs", status: "completed", ...times } as const;
    const startMs = performance.now();
    const files = await renderVideo(
      { facts, timelineFile, outputDirectory: join(directory, "out"), theme: "dark" },
      { signal: AbortSignal.timeout(1_800_000) },
    );
    const wallS = (performance.now() - startMs) / 1000;
    console.log(`${name}: a video of ${(files.durationMs / 1000).toFixed(0)} s`);
    printAtMost("  CPU", files.cpuMs / 1000, most.cpuS, "s");
    printAtMost("  time", wallS, most.wallS, "s");
    printAtMost("  peak memory", files.peakMemoryBytes / 2 ** 20, most.memoryMb, "MB");
    printAtMost("  file", files.sizeBytes / 2 ** 20, most.sizeMb, "MB");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
