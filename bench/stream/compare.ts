import { resolve } from "node:path";
import { emptySamples, measureThroughput } from "./measure.ts";
import { startMuster } from "./muster.ts";
import { startHelper } from "./processes.ts";
import { chunksPerStream } from "./script.ts";
import { median } from "./statistics.ts";
import { type Target, type TargetName, targetNames } from "./target.ts";
import { startTarget, verify } from "./targets.ts";

// Streams of 32 clients to servers that take turns, and the ratio of each to the first one in the same round.
// Usage: node bench/stream/compare.ts <rounds> <target or checkout of Muster>...
//   for example: node bench/stream/compare.ts 16 muster unlogged
//                node bench/stream/compare.ts 16 ../muster-before .

const concurrency = 32;
const effort = { singleStreams: 0, pacedRepeats: 0, secondsPerRun: 1, concurrencies: [concurrency] };
const rounds = Number(process.argv[2]);
const names = process.argv.slice(3);

const provider = await startHelper(new URL("./provider.ts", import.meta.url));
const servers: Array<{ name: string; target: Target; rates: number[]; cpuMs: number[] }> = [];
try {
  for (const name of names) {
    const target = await start(name);
    servers.push({ name, target, rates: [], cpuMs: [] });
    await verify(target, chunksPerStream);
    await measureThroughput(target, emptySamples(), concurrency, effort);
  }
  for (let round = 0; round < rounds; round++) {
    // The first of a round has no advantage over the others in the long run.
    for (const { target, rates, cpuMs } of round % 2 === 0 ? servers : servers.toReversed()) {
      const samples = emptySamples();
      await measureThroughput(target, samples, concurrency, effort);
      rates.push(median(samples.streamsPerSecond[concurrency] ?? []));
      cpuMs.push(median(samples.cpuMsPerStream));
    }
  }
  for (const { name, rates, cpuMs } of servers) {
    const rate = `${median(rates).toFixed(0)} streams/s (${ratio(rates, servers[0]?.rates)})`;
    const cpu = `${median(cpuMs).toFixed(2)} ms CPU per stream (${ratio(cpuMs, servers[0]?.cpuMs)})`;
    console.log(`${name.padEnd(24)} ${rate}, ${cpu}`);
  }
} finally {
  for (const { target } of servers) await target.stop();
  await provider.stop();
}

function start(name: string): Promise<Target> {
  const options = { providerPort: provider.port, providerPid: provider.pid };
  return isTarget(name)
    ? startTarget(name, options)
    : startMuster("muster", { ...options, checkout: resolve(name) });
}

function isTarget(name: string): name is TargetName {
  return targetNames.some((known) => known === name);
}

/** The median of the rounds' ratios: other work on the machine affects both sides of a round. */
function ratio(values: readonly number[], first: readonly number[] = []): string {
  return median(values.map((value, round) => value / (first[round] ?? Number.NaN))).toFixed(3);
}
