import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type RenderedFiles, renderVideo, type TimelineEvent } from "@muster/video";
import { longRun, minuteOfWork } from "./timelines.ts";

const usage = `npm run bench:recording -- [--quick]
  --quick  only the run of a minute, and a tenth of the long one`;

interface Target {
  cpuSeconds: number;
  wallSeconds: number;
  memoryMb: number;
  sizeMb: number;
}

const none = Number.POSITIVE_INFINITY;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { quick: { type: "boolean", default: false } } });
  const minute = { cpuSeconds: 25, wallSeconds: none, memoryMb: 300, sizeMb: 1.5 };
  const reached = [await measure("a run of 60 s", minuteOfWork(), minute)];
  const part = values.quick ? 0.1 : 1;
  const long = { cpuSeconds: none, wallSeconds: 600, memoryMb: 500, sizeMb: none };
  const name = values.quick ? "a run of 3 minutes, 2 MB of output" : "a run of 30 minutes, 20 MB of output";
  reached.push(await measure(name, longRun(1_800_000 * part, 20_000_000 * part), long));
  if (reached.includes(false)) process.exitCode = 1;
}

async function measure(name: string, events: TimelineEvent[], target: Target): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  try {
    const timelineFile = join(directory, "timeline");
    await writeFile(timelineFile, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    const startMs = performance.now();
    const files = await renderVideo(
      { facts: factsOf(events), timelineFile, outputDirectory: join(directory, "out"), theme: "dark" },
      { signal: AbortSignal.timeout(1_800_000) },
    );
    return report(name, files, (performance.now() - startMs) / 1000, target);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function factsOf(events: TimelineEvent[]) {
  const endedAtMs = events.at(-1)?.atMs ?? 0;
  return {
    agentName: "Lou",
    task: "Follow the logs",
    startedAtMs: 0,
    endedAtMs,
    status: "completed",
  } as const;
}

function report(name: string, files: RenderedFiles, wallSeconds: number, target: Target): boolean {
  console.log(`${name}: a video of ${(files.durationMs / 1000).toFixed(0)} s`);
  return [
    line("CPU", files.cpuMs / 1000, target.cpuSeconds, "s"),
    line("time", wallSeconds, target.wallSeconds, "s"),
    line("peak memory", files.peakMemoryBytes / 1024 / 1024, target.memoryMb, "MB"),
    line("file", files.sizeBytes / 1024 / 1024, target.sizeMb, "MB"),
  ].every(Boolean);
}

function line(name: string, value: number, target: number, unit: string): boolean {
  const isReached = value <= target;
  const goal = target === none ? "" : `, target ${target} ${unit}: ${isReached ? "reached" : "MISSED"}`;
  console.log(`  ${name} ${value.toFixed(value < 10 ? 2 : 0)} ${unit}${goal}`);
  return isReached;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof TypeError) console.error(usage);
  process.exitCode = 1;
});
