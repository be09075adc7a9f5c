import { setTimeout as sleep } from "node:timers/promises";
import { readCpuMs, readMemoryBytes } from "../support/processes.ts";
import { type LoadResult, runLoad } from "./load.ts";
import { chunksPerStream, idealPacedMs, intervalsMs, type Pace } from "./pace.ts";
import { startTarget, type Target, type TargetName, type TargetOptions } from "./targets.ts";

/** The measurements of one target besides those by age (`ages.ts`). Times in milliseconds. */
export class Samples {
  readonly pacedSpreadMs: number[] = [];
  readonly pacedAtOnceMs: number[] = [];
  readonly firstStartMs: number[] = [];
  readonly laterStartMs: number[] = [];
  readonly idleMemoryBytes: number[] = [];
  readonly memoryBytesPerStream: number[] = [];
  /** How late deltas arrive while 500 streams are open and none starts or ends, and while all of them start. */
  readonly heldLateMs: number[] = [];
  readonly openingLateMs: number[] = [];
}

const pacedClients = 200;
const heldClients = 500;
const startHeldWithinMs = 2_000;
/** Memory is measured with so many open streams, and with so many. */
const [few, many] = [100, 300];
/** For the load generator to start and its streams to open. All are still open after twice this time. */
const settleMs = 2_500;

interface Clients {
  /** Streams in all. */
  count: number;
  concurrency: number;
  spreadMs?: number;
  deltaIntervalMs?: number;
}

/** `cpuMs`: of the server. A failed stream ends the benchmark. */
export async function run(
  target: Target,
  pace: Pace,
  clients: Clients,
): Promise<LoadResult & { cpuMs: number }> {
  const { port, deltaMarker, endMarker, name, pid } = target;
  const { count, ...rest } = clients;
  const requests = await target.prepare(pace, count);
  const beforeMs = await readCpuMs(pid);
  const result = await runLoad({ port, deltaMarker, endMarker, requests, spreadMs: 0, ...rest });
  if (result.failed > 0)
    throw new Error(`${result.failed} of ${count} streams of ${name} failed, one as: ${result.example}`);
  return { ...result, cpuMs: (await readCpuMs(pid)) - beforeMs };
}

/** Checks two streams closely: the figures mean nothing if responses are incomplete. */
export async function verify(target: Target): Promise<void> {
  const { deltas } = await run(target, "bench", { count: 2, concurrency: 1, deltaIntervalMs: 0 });
  assertDeltas(target, deltas.length, 2);
}

function assertDeltas({ name }: Target, deltas: number, streams: number): void {
  const expected = streams * chunksPerStream;
  if (deltas !== expected) throw new Error(`${name} sent ${deltas} deltas, not ${expected}`);
}

/** 200 clients of a provider that sends a chunk every 20 ms: starting evenly spread, and all at the same moment. */
async function measurePaced(target: Target, samples: Samples): Promise<void> {
  const concurrency = pacedClients;
  const spread = await run(target, "bench-paced", {
    count: 2 * pacedClients,
    concurrency,
    spreadMs: idealPacedMs,
  });
  samples.pacedSpreadMs.push(...spread.totalMs);
  const atOnce = await run(target, "bench-paced", { count: concurrency, concurrency });
  samples.pacedAtOnceMs.push(...atOnce.totalMs);
}

/** A fresh process: the times to its first response, and the figures after 500 streams. */
export async function measureFresh(
  name: TargetName,
  samples: Samples,
  options: TargetOptions,
): Promise<void> {
  const target = await startTarget(name, { ...options, startTwice: true });
  try {
    samples.firstStartMs.push(target.firstStartMs);
    samples.laterStartMs.push(target.laterStartMs);
    await sleep(settleMs);
    samples.idleMemoryBytes.push(await readMemoryBytes(target.pid));
    // Runs until the engine's young generation has its full size, but with few streams open at once.
    await run(target, "bench", { count: 500, concurrency: 10 });
    await measureMemory(target, samples);
    await measureHeld(target, samples);
    await measurePaced(target, samples);
  } finally {
    await target.stop();
  }
}

/** The cost of 200 more streams when 100 are open already: the slope leaves out what the first streams cause once. */
async function measureMemory(target: Target, samples: Samples): Promise<void> {
  const open = (count: number) => run(target, "bench-held", { count, concurrency: count, spreadMs: 500 });
  const running = [open(few)];
  await sleep(settleMs);
  const beforeBytes = await readMemoryBytes(target.pid);
  running.push(open(many - few));
  await sleep(settleMs);
  samples.memoryBytesPerStream.push(((await readMemoryBytes(target.pid)) - beforeBytes) / (many - few));
  await Promise.all(running);
}

/** 500 streams of ten deltas a second, all of which start within two seconds: how late each delta arrives. Every delta must. */
async function measureHeld(target: Target, samples: Samples): Promise<void> {
  const deltaIntervalMs = intervalsMs["bench-held"];
  const clients = {
    count: heldClients,
    concurrency: heldClients,
    spreadMs: startHeldWithinMs,
    deltaIntervalMs,
  };
  const { deltas } = await run(target, "bench-held", clients);
  assertDeltas(target, deltas.length, heldClients);
  const allOpen = { fromMs: startHeldWithinMs + 1_500, untilMs: deltaIntervalMs * chunksPerStream };
  for (const { lateMs, atMs } of deltas) {
    if (atMs >= allOpen.fromMs && atMs < allOpen.untilMs) samples.heldLateMs.push(lateMs);
    if (atMs < startHeldWithinMs) samples.openingLateMs.push(lateMs);
  }
}
