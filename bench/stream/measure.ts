import { setTimeout as sleep } from "node:timers/promises";
import { type LoadResult, runLoad } from "./load.ts";
import { readCpuMs, readMemoryBytes } from "./processes.ts";
import { chunkIntervalsMs, chunksPerStream } from "./script.ts";
import { median, percentile } from "./statistics.ts";
import type { Pace, Target, TargetName } from "./target.ts";
import { loadOf, startTarget, type TargetOptions } from "./targets.ts";

/** All measurements of one target, over all rounds. Times in milliseconds. */
export interface Samples {
  firstDeltaMs: number[];
  totalMs: number[];
  /** Completed streams per second, one value per round, by concurrency. */
  streamsPerSecond: Record<number, number[]>;
  /** CPU time of the server per stream at 32 concurrent, one value per round. */
  cpuMsPerStream: number[];
  pacedSpreadMs: number[];
  pacedAtOnceMs: number[];
  coldStartMs: number[];
  memoryBytesPerStream: number[];
  /** How late deltas arrive while 500 streams are open and none starts or ends, and while all of them start. */
  heldLateMs: number[];
  openingLateMs: number[];
}

export function emptySamples(): Samples {
  return {
    firstDeltaMs: [],
    totalMs: [],
    streamsPerSecond: {},
    cpuMsPerStream: [],
    pacedSpreadMs: [],
    pacedAtOnceMs: [],
    coldStartMs: [],
    memoryBytesPerStream: [],
    heldLateMs: [],
    openingLateMs: [],
  };
}

/** Streams of one run: about this many seconds of work, but at least one for each client. */
export interface Effort {
  singleStreams: number;
  secondsPerRun: number;
  pacedRepeats: number;
  /** Client counts whose throughput is measured. */
  concurrencies: readonly number[];
}

const pacedClients = 200;
const heldClients = 500;
const startHeldWithinMs = 2_000;
/** Memory is measured with so many open streams, and with so many. */
const openStreams = [100, 300] as const;
/** For the load generator to start and its streams to open. All are still open after twice this time. */
const settleMs = 2_500;

async function run(
  target: Target,
  pace: Pace,
  count: number,
  concurrency: number,
  spreadMs = 0,
): Promise<LoadResult> {
  const requests = await target.prepare(pace, count);
  const job = { ...loadOf(target), requests, count, concurrency, spreadMs, countDeltas: false };
  const result = await runLoad(job);
  if (result.failed > 0)
    throw new Error(
      `${result.failed} of ${count} streams of ${target.name} failed, one as: ${result.example}`,
    );
  return result;
}

/** One client, one stream after the other. */
export async function measureSingle(target: Target, samples: Samples, effort: Effort): Promise<void> {
  const { firstDeltaMs, totalMs, durationMs } = await run(target, "bench", effort.singleStreams, 1);
  samples.firstDeltaMs.push(...firstDeltaMs);
  samples.totalMs.push(...totalMs);
  record(samples, 1, (effort.singleStreams * 1000) / durationMs);
}

/** Many clients, each starting its next stream when the last is done. */
export async function measureThroughput(
  target: Target,
  samples: Samples,
  concurrency: number,
  effort: Effort,
): Promise<void> {
  const rate =
    median(samples.streamsPerSecond[concurrency] ?? []) || (await estimateRate(target, concurrency));
  const count = Math.max(concurrency * 4, Math.round(rate * effort.secondsPerRun));
  const requests = await target.prepare("bench", count);
  const cpuBeforeMs = await readCpuMs(target.pid);
  const job = { ...loadOf(target), requests, count, concurrency, spreadMs: 0, countDeltas: false };
  const { durationMs, failed, example } = await runLoad(job);
  if (failed > 0)
    throw new Error(`${failed} of ${count} streams of ${target.name} failed, one as: ${example}`);
  record(samples, concurrency, (count * 1000) / durationMs);
  if (concurrency === 32) samples.cpuMsPerStream.push(((await readCpuMs(target.pid)) - cpuBeforeMs) / count);
}

async function estimateRate(target: Target, concurrency: number): Promise<number> {
  const count = concurrency * 4;
  const { durationMs } = await run(target, "bench", count, concurrency);
  return (count * 1000) / durationMs;
}

function record(samples: Samples, concurrency: number, rate: number): void {
  const rates = samples.streamsPerSecond[concurrency] ?? [];
  samples.streamsPerSecond[concurrency] = [...rates, rate];
}

/** 200 clients of a provider that sends a chunk every 20 ms: starting evenly spread, and all at the same moment. */
export async function measurePaced(target: Target, samples: Samples, effort: Effort): Promise<void> {
  const spreadMs = idealPacedMs();
  const count = pacedClients * effort.pacedRepeats;
  const spread = await run(target, "bench-paced", count, pacedClients, spreadMs);
  samples.pacedSpreadMs.push(...spread.totalMs);
  const atOnce = await run(target, "bench-paced", pacedClients, pacedClients);
  samples.pacedAtOnceMs.push(...atOnce.totalMs);
  console.log(`  paced: ${describe(spread)}; at once: ${describe(atOnce)}`);
}

/** One round's percentiles show whether all rounds are alike, or one met a pause of the machine. */
function describe({ firstDeltaMs, totalMs }: LoadResult): string {
  const pair = (values: number[]) =>
    `${median(values).toFixed(0)} / ${percentile(values, 0.95).toFixed(0)} ms`;
  return `p50 / p95 ${pair(totalMs)} (first delta ${pair(firstDeltaMs)})`;
}

export function idealPacedMs(): number {
  return (chunkIntervalsMs["bench-paced"] ?? 0) * chunksPerStream;
}

/** A fresh process: the time to its first response, and its growth from 100 to 300 open streams. */
export async function measureFresh(
  name: TargetName,
  samples: Samples,
  options: TargetOptions,
): Promise<void> {
  const target = await startTarget(name, { ...options, startTwice: true });
  try {
    samples.coldStartMs.push(target.coldStartMs);
    // Runs until the engine's young generation has its full size, but with few streams open at once.
    await run(target, "bench", 500, 10);
    await measureMemory(target, samples);
    await measureHeld(target, samples);
  } finally {
    await target.stop();
  }
}

/** What 200 more streams cost when 100 are open already: the slope leaves out what the first streams cause once. */
async function measureMemory(target: Target, samples: Samples): Promise<void> {
  const [few, many] = openStreams;
  const first = await target.prepare("bench-held", few);
  const others = await target.prepare("bench-held", many - few);
  const open = (requests: string[]) => {
    const count = requests.length;
    const clients = { count, concurrency: count, spreadMs: 500, countDeltas: false };
    return runLoad({ ...loadOf(target), requests, ...clients });
  };
  const running = [open(first)];
  await sleep(settleMs);
  const beforeBytes = await readMemoryBytes(target.pid);
  running.push(open(others));
  await sleep(settleMs);
  const openBytes = await readMemoryBytes(target.pid);
  for (const { failed, example } of await Promise.all(running)) {
    if (failed > 0) throw new Error(`${failed} streams of ${target.name} failed, one as: ${example}`);
  }
  samples.memoryBytesPerStream.push((openBytes - beforeBytes) / (many - few));
}

/** 500 streams of ten deltas a second, all of which start within two seconds: how late each delta arrives. Every delta must. */
async function measureHeld(target: Target, samples: Samples): Promise<void> {
  const deltaIntervalMs = chunkIntervalsMs["bench-held"] ?? 0;
  const requests = await target.prepare("bench-held", heldClients);
  const clients = { count: heldClients, concurrency: heldClients, countDeltas: true };
  const job = { ...loadOf(target), requests, ...clients, spreadMs: startHeldWithinMs, deltaIntervalMs };
  const { deltas, failed, lateMs, arrivedMs, example } = await runLoad(job);
  if (failed > 0) throw new Error(`${failed} streams of ${target.name} failed, one as: ${example}`);
  const expected = heldClients * chunksPerStream;
  if (deltas !== expected) throw new Error(`${target.name} sent ${deltas} deltas, not ${expected}`);
  const allOpen = { fromMs: startHeldWithinMs + 1_500, untilMs: deltaIntervalMs * chunksPerStream };
  lateMs.forEach((ms, index) => {
    const atMs = arrivedMs[index] ?? 0;
    if (atMs >= allOpen.fromMs && atMs < allOpen.untilMs) samples.heldLateMs.push(ms);
    if (atMs < startHeldWithinMs) samples.openingLateMs.push(ms);
  });
}
